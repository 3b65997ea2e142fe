// What the scripts of the document's files share.
import { $, form, sayer } from './draft.js';

export const zone = $('#add'),
  input = $('#i-files'),
  say = sayer(zone);
export const page = { base: zone.dataset.base, items: new Set() }; // items are the uploads in progress

export const pairs = values => {
  const f = new FormData();
  f.set('csrf', form.elements.csrf.value);
  for (const name in values) f.set(name, values[name]);
  return f;
};
