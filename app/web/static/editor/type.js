// Changes the type of a field.
import { say } from './text.js';
import { fixed } from './geometry.js';

// members are the properties to reset if the new type doesn't have them.
const members = {
  options: 'options',
  group: 'group',
  boxes: 'groupMin groupMax',
  value: 'value',
  pattern: 'pattern patternMessage',
  placeholder: 'placeholder',
  range: 'min max',
  formula: 'formula',
  cells: 'cells',
  text: 'weight color valign mask',
  marks: 'marks',
};

// become returns the edit that changes the type of a field and drops what doesn't apply to it.
export const become = (type, has, group) => f => {
  const out = { type };
  for (const [name, gone] of Object.entries(members))
    if (!has[name].includes(type)) for (const m of gone.split(' ')) out[m] = null;
  if (type === 'select' && !f.options) out.options = [say('option', { n: 1 }), say('option', { n: 2 })];
  if (type === 'radio' && !f.group) {
    out.group = group();
    out.options = null;
  }
  if (['signature', ...fixed].includes(type)) out.condition = null;
  if (fixed.includes(type)) out.required = out.readOnly = null;
  if (type !== f.type) {
    out.format = out.value = null;
    if ([type, f.type].includes('date')) out.min = out.max = null;
  }
  return out;
};
