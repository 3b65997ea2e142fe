// What becomes of a field when its type changes.
import { say } from './text.js';

// members are those that go when the new type has not the property.
const members = {
  options: 'options', group: 'group', boxes: 'groupMin groupMax', value: 'value', pattern: 'pattern patternMessage',
  placeholder: 'placeholder', range: 'min max', formula: 'formula', cells: 'cells', text: 'weight color valign mask',
};

// become returns the change of a field to a type; what the type has no use for goes.
export const become = (type, has, group) => f => {
  const out = { type };
  for (const [name, gone] of Object.entries(members)) if (!has[name].includes(type)) for (const m of gone.split(' ')) out[m] = null;
  if (type === 'select' && !f.options) out.options = [say('option', { n: 1 }), say('option', { n: 2 })];
  if (type === 'radio' && !f.group) { out.group = group(); out.options = null; }
  if (type === 'signature') out.condition = null;
  if (type !== f.type) {
    out.format = out.value = null;
    if ([type, f.type].includes('date')) out.min = out.max = null;
  }
  return out;
};
