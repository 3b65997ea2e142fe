// The document's files: choosing, dropping, sorting. pieces.js uploads them. Without
// scripts the form uploads as browsers do.
export const $ = (s, in_ = document) => in_.querySelector(s), $$ = (s, in_ = document) => [...in_.querySelectorAll(s)];
export const form = $('#add'), input = $('#i-files');
const words = JSON.parse(form.dataset.words), plural = new Intl.PluralRules(form.dataset.lang);
export const say = (key, values = {}) => {
  const forms = words[key] || {}, text = forms[plural.select(values.n ?? 0)] || forms.other || key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
};
export const tell = text => { $('#status').textContent = ''; $('#status').textContent = text; };
export const warn = text => { $('#alert').textContent = ''; $('#alert').textContent = text; };
export const page = { base: form.dataset.base, items: new Set() }; // items are the uploads in progress

form.classList.add('scripted');
$('.here').hidden = $('.pick').hidden = false;

export const pairs = values => {
  const f = new FormData();
  f.set('csrf', form.elements.csrf.value);
  for (const name in values) f.set(name, values[name]);
  return f;
};

// Don't replace what is being pressed or dragged: its click or drop would be lost.
// Stop waiting after a while, in case the end is never reported.
let held = null, letGo = () => {}, dragged = null;
const hold = () => { held ??= new Promise(done => { letGo = () => { held = null; done(); }; setTimeout(free, 5000); }); };
const free = () => setTimeout(() => dragged || letGo()); // the click follows pointerup
addEventListener('pointerdown', hold, true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, free, true);

// keep remembers what was typed, opened and focused, and returns a function that restores
// it. The form just submitted (own) is left out.
function keep(own) {
  const rowOf = e => e.closest('[data-file],[data-upload]');
  const all = $$('#files :is(input,button,summary,a), #finish :is(input,button), .start input').filter(e => e.type !== 'hidden' && !own?.contains(e));
  const typed = all.filter(e => e.id && e.tagName === 'INPUT' && e.value !== e.defaultValue);
  const at = all.find(e => e === document.activeElement), caret = at?.id && [at.selectionStart, at.selectionEnd];
  const row = at && rowOf(at), like = e => e.tagName === at.tagName && e.value === at.value && e.textContent === at.textContent;
  const again = () => at.id ? document.getElementById(at.id)
    : $$('button,summary,a', row ? $(`#files [data-file="${row.dataset.file}"]`) || $('#files') : $('#finish')).find(like);
  return () => {
    for (const e of typed) {
      const now = document.getElementById(e.id);
      if (!now || now.defaultValue === e.value) continue;
      now.value = e.value;
      now.closest('details')?.setAttribute('open', '');
    }
    const now = at && again();
    if (!now) return;
    if (now.tagName !== 'SUMMARY') now.closest('details')?.setAttribute('open', '');
    now.focus({ preventScroll: true });
    if (caret?.[0] != null) now.setSelectionRange(...caret);
  };
}

// current fetches the list; a dropped connection leaves it as it is.
async function current() {
  for (let n = 1; ; n++) {
    try {
      const answer = await fetch(page.base + '/files', { credentials: 'same-origin' });
      if (answer.ok || n === 5) return await answer.text();
    } catch (e) { if (n === 5) throw e; }
    await new Promise(done => setTimeout(done, 500 * 2 ** n));
  }
}

// refresh shows the server's list without moving the reader.
let refreshing = Promise.resolve(), turns = 0;
export function refresh(html, own) {
  turns++;
  return refreshing = refreshing.then(async () => {
    html ??= await current();
    const now = new DOMParser().parseFromString(html, 'text/html');
    if (!$('#files', now)) throw new Error('no list');
    await held;
    const bring = keep(own);
    for (const id of ['steps', 'files', 'finish', 'choose']) $('#' + id).replaceWith($('#' + id, now));
    if ($('#add', now).action !== form.action) { form.action = $('#add', now).action; $('.start', form)?.remove(); }
    bring();
    for (const item of page.items) if (item.id) $('#files [data-upload="' + item.id + '"]')?.remove();
    if (!$('#files [data-upload]')) $$('#files h2 + p').forEach(p => { p.previousElementSibling.remove(); p.remove(); });
    prepare();
  }).catch(() => warn(say('unseen')));
}

// change submits a form of the list and shows the returned list, unless a newer one is
// already shown.
export async function change(path, body, own) {
  const before = turns;
  const answer = await fetch(path, { method: 'POST', body, headers: { 'X-Requested-With': 'fetch' }, credentials: 'same-origin' }).catch(() => null);
  if (!answer?.ok) return warn((await answer?.json().catch(() => ({})))?.message || say('unsent'));
  const html = await answer.text();
  await refresh(turns === before ? html : undefined, own);
  tell(say('changed'));
}

// add uploads files. The module is loaded on first use.
function add(files) {
  const chosen = [...files];
  import('./pieces.js').then(pieces => pieces.add(chosen), () => warn(say('failed')));
}

// prepare makes the rows draggable.
function prepare() { for (const li of $$('#files [data-file]')) li.draggable = $$('#files [data-file]').length > 1; }
document.addEventListener('dragstart', e => {
  dragged = e.target.closest?.('#files [data-file]');
  if (dragged) { hold(); dragged.classList.add('dragged'); e.dataTransfer.effectAllowed = 'move'; e.dataTransfer.setData('text/plain', dragged.dataset.name); }
});
document.addEventListener('dragend', () => { dragged?.classList.remove('dragged'); dragged = null; free(); $$('.target').forEach(li => li.classList.remove('target')); });
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
  change(e.target.action, body, e.target).then(() => {
    if (document.activeElement !== document.body) return; // focus has moved since
    const now = $('#files [data-file="' + id + '"]');
    (now && ($$('button', now).find(b => label && b.getAttribute('aria-label') === label) || $('button,summary', now)) || input).focus();
  });
});
input.addEventListener('change', () => add(input.files));
if (input.files.length) add(input.files); // chosen before this script loaded
form.addEventListener('submit', e => { e.preventDefault(); if (input.files.length) add(input.files); else input.focus(); });
prepare();
