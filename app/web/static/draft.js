// What the scripts of a draft's form share.
import { $ } from './base.js';

export { $, $$, tell } from './base.js';
export const form = $('#draft');
// sayer returns a function that says what an element has the words for.
export const sayer = ({ dataset }) => {
  const words = JSON.parse(dataset.words),
    plural = new Intl.PluralRules(dataset.lang);
  return (key, values = {}) => {
    const forms = words[key] || {},
      text = forms[plural.select(values.n ?? 0)] || forms.other || key;
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  };
};
export const warn = text => {
  $('#alert').textContent = '';
  $('#alert').textContent = text;
};
