// Changes the type of a field.
import { say } from './text.js';
import { fixed } from './geometry.js';

// become returns the edit that changes the type of a field and drops what has no effect on the new one.
export const become = (type, form, group) => f => {
  const out = { type };
  for (const e of form.elements) {
    const types = e.name && e.closest('[data-for]').dataset.for;
    if (types && !['any', 'one', 'asked'].includes(types) && !types.split(' ').includes(type)) out[e.name] = null;
  }
  if (type === 'select' && !f.options) out.options = [say('option', { n: 1 }), say('option', { n: 2 })];
  if (type === 'radio' && !f.group) {
    out.group = group();
    out.options = null;
  }
  if (['signature', ...fixed].includes(type)) out.condition = null;
  if (fixed.includes(type)) out.required = out.read_only = null;
  if (type !== f.type) {
    out.format = out.value = null;
    if ([type, f.type].includes('date')) out.min = out.max = null;
  }
  return out;
};
