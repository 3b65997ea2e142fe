// The files of a document: chosen or dropped, and brought into their order. How
// they are sent is in pieces.js. Without these the form sends them as a browser does.
export const $ = (s, in_ = document) => in_.querySelector(s), $$ = (s, in_ = document) => [...in_.querySelectorAll(s)];
export const form = $('#add'), input = $('#i-files');
const words = JSON.parse(form.dataset.words), plural = new Intl.PluralRules(form.dataset.lang);
export const say = (key, values = {}) => {
  const forms = words[key] || {}, text = forms[plural.select(values.n ?? 0)] || forms.other || key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
};
export const tell = text => { $('#status').textContent = ''; $('#status').textContent = text; };
export const warn = text => { $('#alert').textContent = ''; $('#alert').textContent = text; };
export const page = { base: form.dataset.base, items: new Set() }; // items are on their way

form.classList.add('scripted');
$('.here').hidden = false;

export const pairs = values => {
  const f = new FormData();
  f.set('csrf', form.elements.csrf.value);
  for (const name in values) f.set(name, values[name]);
  return f;
};

// refresh shows what the server has, without moving the reader.
let refreshing = Promise.resolve();
export function refresh(html) {
  return refreshing = refreshing.then(async () => {
    html ??= await (await fetch(page.base + '/files', { credentials: 'same-origin' })).text();
    const now = new DOMParser().parseFromString(html, 'text/html');
    if (!$('#files', now)) return;
    const title = $('#finish [name=title]'), typed = title && title.value !== title.defaultValue ? title.value : null;
    for (const id of ['steps', 'files', 'finish', 'choose']) $('#' + id).replaceWith($('#' + id, now));
    if (typed !== null && $('#finish [name=title]')) $('#finish [name=title]').value = typed;
    if ($('#add', now).action !== form.action) { form.action = $('#add', now).action; $('.start', form)?.remove(); }
    for (const item of page.items) if (item.id) $('#files [data-upload="' + item.id + '"]')?.remove();
    if (!$('#files [data-upload]')) $$('#files h2 + p').forEach(p => { p.previousElementSibling.remove(); p.remove(); });
    prepare();
  }).catch(() => {});
}

// change sends a small form of the list and shows the list that comes back.
export async function change(path, body) {
  const answer = await fetch(path, { method: 'POST', body, headers: { 'X-Requested-With': 'fetch' }, credentials: 'same-origin' });
  if (!answer.ok) return warn((await answer.json().catch(() => ({}))).message || say('failed'));
  await refresh(await answer.text());
  tell(say('changed'));
}

// add sends files. What does that comes when it is needed.
function add(files) {
  const chosen = [...files];
  import('./pieces.js').then(pieces => pieces.add(chosen), () => warn(say('failed')));
}

// prepare makes the rows of the list ready to be dragged.
function prepare() { for (const li of $$('#files [data-file]')) li.draggable = $$('#files [data-file]').length > 1; }
let dragged = null;
document.addEventListener('dragstart', e => {
  dragged = e.target.closest?.('#files [data-file]');
  if (dragged) { dragged.classList.add('dragged'); e.dataTransfer.effectAllowed = 'move'; e.dataTransfer.setData('text/plain', dragged.dataset.name); }
});
document.addEventListener('dragend', () => { dragged?.classList.remove('dragged'); dragged = null; $$('.target').forEach(li => li.classList.remove('target')); });
document.addEventListener('dragover', e => {
  e.preventDefault();
  const over = e.target.closest?.('#files [data-file]');
  $$('.target').forEach(li => li.classList.remove('target'));
  if (dragged) over?.classList.add('target'); else form.classList.add('over');
});
document.addEventListener('dragleave', e => { if (!e.relatedTarget) form.classList.remove('over'); });
document.addEventListener('drop', e => {
  e.preventDefault();
  form.classList.remove('over');
  const onto = e.target.closest?.('#files [data-file]');
  if (dragged && onto && onto !== dragged) change(page.base + '/files/' + dragged.dataset.file, pairs({ do: 'move', position: $$('#files [data-file]').indexOf(onto) + 1 }));
  else if (!dragged) add(e.dataTransfer.files);
});
document.addEventListener('submit', e => {
  const row = e.target.closest('#files [data-file]');
  if (!row || e.defaultPrevented) return;
  e.preventDefault();
  const id = row.dataset.file, label = e.submitter?.getAttribute('aria-label'), body = new FormData(e.target, e.submitter);
  change(e.target.action, body).then(() => {
    const now = $('#files [data-file="' + id + '"]');
    (now && ($$('button', now).find(b => label && b.getAttribute('aria-label') === label) || $('button,summary', now)) || input).focus();
  });
});
input.addEventListener('change', () => add(input.files));
if (input.files.length) add(input.files); // chosen before this script was there
form.addEventListener('submit', e => { e.preventDefault(); if (input.files.length) add(input.files); else input.focus(); });
prepare();
