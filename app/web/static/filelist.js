// The list of the document's files: it is brought up to date without moving the reader, and its
// files are moved, renamed, replaced and removed.
import { $, $$, form, tell, warn } from './draft.js';
import { input, page, pairs, say } from './filepage.js';

// Don't replace what is being pressed or dragged: its click or drop would be lost.
// Stop waiting after a while, in case the end is never reported.
let held = null,
  letGo = () => {};
const hold = () => {
  held ??= new Promise(done => {
    letGo = () => {
      held = null;
      done();
    };
    setTimeout(free, 5000);
  });
};
const free = () => setTimeout(() => page.dragged || letGo()); // the click follows pointerup
addEventListener('pointerdown', hold, true);
for (const end of ['pointerup', 'pointercancel']) addEventListener(end, free, true);

// unfold opens all that an element is folded into.
const unfold = e => {
  for (let d = e.closest('details'); d; d = d.parentElement.closest('details')) d.open = true;
};

// keep remembers what was typed, opened and focused, and returns a function that restores
// it. What was just submitted (own) is left out.
function keep(own) {
  const all = $$('#files :is(input,button,summary,a)').filter(e => !own?.contains(e));
  const typed = all.filter(
    e =>
      e.id && (e.files?.length || e.checked !== e.defaultChecked || (e.type !== 'file' && e.value !== e.defaultValue)),
  );
  const at = all.find(e => e === document.activeElement),
    caret = at?.id && [at.selectionStart, at.selectionEnd];
  const row = at?.closest('[data-file],[data-upload]'),
    like = e => e.tagName === at.tagName && e.value === at.value && e.textContent === at.textContent;
  const again = () =>
    at.id
      ? document.getElementById(at.id)
      : $$('button,summary,a', (row && $(`#files [data-file="${row.dataset.file}"]`)) || $('#files')).find(like);
  return () => {
    for (const e of typed) {
      const now = document.getElementById(e.id);
      if (!now) continue;
      if (e.type === 'file') now.files = e.files;
      else {
        now.value = e.value;
        now.checked = e.checked;
      }
      unfold(now);
    }
    const now = at && again();
    if (!now) return;
    unfold(now.tagName === 'SUMMARY' ? now.parentElement.parentElement : now);
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
    } catch (e) {
      if (n === 5) throw e;
    }
    await new Promise(done => setTimeout(done, 500 * 2 ** n));
  }
}

// refresh shows the server's list without moving the reader.
let refreshing = Promise.resolve(),
  turns = 0;
export function refresh(html, own) {
  turns++;
  return (refreshing = refreshing
    .then(async () => {
      html ??= await current();
      const now = new DOMParser().parseFromString(html, 'text/html');
      if (!$('#files', now)) throw new Error('no list');
      await held;
      const bring = keep(own),
        title = form.elements.title;
      for (const id of ['steps', 'files', 'choose']) $('#' + id).replaceWith($('#' + id, now));
      $('.zone').className = $('.zone', now).className;
      form.action = $('#draft', now).action;
      title.value ||= $('#draft', now).elements.title.value;
      bring();
      for (const item of page.items) if (item.id) $('#files [data-upload="' + item.id + '"]')?.remove();
      if (!$('#files [data-upload]'))
        $$('#files h3 + p').forEach(p => {
          p.previousElementSibling.remove();
          p.remove();
        });
      prepare();
    })
    .catch(() => warn(say('unseen'))));
}

// change submits a change of the list and shows the returned list, unless a newer one is
// already shown.
export async function change(path, body, own) {
  const before = turns;
  const answer = await fetch(path, {
    method: 'POST',
    body,
    headers: { 'X-Requested-With': 'fetch' },
    credentials: 'same-origin',
  }).catch(() => null);
  if (!answer?.ok) return warn((await answer?.json().catch(() => ({})))?.message || say('unsent'));
  const html = await answer.text();
  await refresh(turns === before ? html : undefined, own);
  tell(say('changed'));
}

// act does what a button in the row of a file says, with the inputs beside the button.
export async function act(row, button) {
  const id = row.dataset.file,
    own = button.closest('.menu-list>details'),
    body = pairs({ do: button.value });
  for (const e of own ? $$('input[name]', own) : [])
    if (e.files) body.set(e.name, e.files[0] || '');
    else if (e.type !== 'checkbox' || e.checked) body.set(e.name, e.value);
  await change(button.formAction, body, own);
  if (document.activeElement !== document.body) return; // focus has moved since
  const now = $('#files [data-file="' + id + '"]');
  ((now && $('summary', now)) || input).focus();
}

// prepare makes the rows draggable.
function prepare() {
  for (const li of $$('#files [data-file]')) li.draggable = $$('#files [data-file]').length > 1;
}
const target = li => {
  $$('.target').forEach(l => l.classList.remove('target'));
  li?.classList.add('target');
};
document.addEventListener('dragstart', e => {
  page.dragged = e.target.closest?.('#files [data-file]');
  if (page.dragged) {
    hold();
    page.dragged.classList.add('dragged');
    e.dataTransfer.effectAllowed = 'move';
    e.dataTransfer.setData('text/plain', page.dragged.dataset.name);
  }
});
document.addEventListener('dragend', () => {
  page.dragged?.classList.remove('dragged');
  page.dragged = null;
  free();
  target();
});
document.addEventListener('dragover', e => target(page.dragged && e.target.closest?.('#files [data-file]')));
document.addEventListener('drop', e => {
  const onto = e.target.closest?.('#files [data-file]');
  if (page.dragged && onto && onto !== page.dragged)
    change(
      page.base + '/files/' + page.dragged.dataset.file,
      pairs({ do: 'move', position: $$('#files [data-file]').indexOf(onto) + 1 }),
    );
});
prepare();
