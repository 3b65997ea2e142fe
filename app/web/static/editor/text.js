// Texts, announcements and requests shared by the parts of the editor.
export const $ = (s, within = document) => within.querySelector(s);
export const $$ = (s, within = document) => [...within.querySelectorAll(s)];
export const root = $('#editor');
const words = JSON.parse(root.dataset.words),
  plural = new Intl.PluralRules(root.dataset.lang);

// say returns a text from the catalogue; n selects the plural form.
export function say(key, values = {}) {
  const forms = words[key] || {},
    text = forms[plural.select(values.n ?? 0)] || forms.other || key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
}

// tell announces a text of the catalogue politely. Only the latest message is kept, so repeated keys don't queue up.
let timer;
export function tell(key, values, wait = 0) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const s = $('#status');
    s.textContent = '';
    s.textContent = say(key, values);
  }, wait);
}

// make creates an element with properties, attributes (role and names with a dash) and children.
export function make(name, given = {}, ...children) {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(given)) {
    if (k === 'role' || k.includes('-')) e.setAttribute(k, v);
    else if (k === 'data') Object.assign(e.dataset, v);
    else e[k] = v;
  }
  e.append(...children);
  return e;
}

// post submits a form to one of the document's pages and parses the JSON answer.
export async function post(path, values) {
  const body = new FormData();
  body.set('csrf', $('#csrf').value);
  for (const [k, v] of Object.entries(values)) body.set(k, v);
  const answer = await fetch(root.dataset.base + path, {
    method: 'POST',
    body,
    headers: { 'X-Requested-With': 'fetch' },
    credentials: 'same-origin',
  });
  return { status: answer.status, body: await answer.json().catch(() => ({})) };
}

export const typeName = type => $(`.palette [data-type="${type}"]`)?.textContent || type;
export const percent = v => Math.round(v * 1000) / 10;
