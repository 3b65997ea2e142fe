// What the scripts of a draft's form share.
export const $ = (s, of = document) => of.querySelector(s),
  $$ = (s, of = document) => [...of.querySelectorAll(s)];
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
export const tell = text => {
  $('#status').textContent = '';
  $('#status').textContent = text;
};
export const warn = text => {
  $('#alert').textContent = '';
  $('#alert').textContent = text;
};
