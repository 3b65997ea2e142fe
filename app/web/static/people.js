// The recipients: suggestions from contacts, pasting several at once, moving rows by mouse and
// keys, and nothing lost on leaving. Without scripts the form's buttons do the same.
import { $, $$, form, sayer, tell } from './draft.js';
import { parse } from './paste.js';

const list = $('#rows'),
  people = $('#people'),
  say = sayer(people);
const rows = () => $$('.person-row', list),
  part = (row, name) => $(`[name$=".${name}"]`, row);
const state = { dirty: false, refused: false, sent: false, say };

// number renames the inputs and buttons of each row after its place in the form.
function number() {
  const all = rows(),
    attributes = ['name', 'id', 'for', 'value', 'aria-describedby'];
  all.forEach((row, i) => {
    for (const e of $$('*', row))
      for (const a of attributes) {
        const v = e.getAttribute(a);
        if (v && (a !== 'value' || e.tagName === 'BUTTON'))
          e.setAttribute(a, v.replace(/^(invitations\.|i-invitations-|up\.|down\.|remove\.)\d+/, '$1' + i));
      }
    row.className = row.className.replace(/\br\d+( more)?/, 'r' + ((i % 8) + 1) + (i < 8 ? '' : ' more'));
    const letter = String.fromCharCode(65 + (i % 8));
    $('.letter', row).textContent = i < 8 ? letter : String.fromCharCode(65 + ((Math.floor(i / 8) - 1) % 26)) + letter;
    $('[value^="up."]', row).hidden = i === 0;
    $('[value^="down."]', row).hidden = i === all.length - 1;
  });
  form.elements.rows.value = all.length;
}
// turns numbers the positions anew after a move.
function turns() {
  rows().forEach((row, i) => {
    part(row, 'position').value = i + 1;
  });
}
function changed() {
  state.dirty = true;
  state.refused = false;
}
function move(row, to) {
  const all = rows(),
    from = all.indexOf(row);
  if (to < 0 || to >= all.length || to === from) return;
  all[to][to < from ? 'before' : 'after'](row);
  number();
  turns();
  changed();
  tell(say('moved', { name: part(row, 'name').value, n: to + 1 }));
}

const empty = row => !['id', 'name', 'email', 'role_name'].some(n => part(row, n)?.value);
function append(person = {}) {
  const row = $('#blank').content.firstElementChild.cloneNode(true);
  $('#new')?.removeAttribute('id');
  row.id = 'new';
  list.append(row);
  number();
  part(row, 'position').value = rows().length;
  for (const name in person) part(row, name).value = person[name];
  return row;
}
function addAll(people, first) {
  let last = first;
  people.forEach((p, i) => {
    if (i === 0 && first && empty(first)) for (const name in p) part(first, name).value = p[name];
    else last = append(p);
  });
  changed();
  part(last, 'email').focus();
  tell(say('added', { n: people.length }));
}

form.addEventListener('input', e => {
  state.sent = false;
  if (e.target.id !== 'i-files' && !e.target.closest('#files')) changed();
});
form.addEventListener('paste', e => {
  const row = e.target.closest('.person-row');
  if (!row || !/\.(name|email)$/.test(e.target.name)) return;
  const { people, left } = parse(e.clipboardData.getData('text'));
  if (left || !people.length || (people.length === 1 && !people[0].name)) return; // an ordinary text
  e.preventDefault();
  addAll(people, row);
});

// Buttons that need no server.
form.addEventListener('click', e => {
  const b = e.target.closest('button[name=do]'),
    row = b?.closest('.person-row'),
    [what] = b?.value.split('.') || [];
  if (row && (what === 'up' || what === 'down')) {
    e.preventDefault();
    b.closest('details').open = false;
    move(row, rows().indexOf(row) + (what === 'up' ? -1 : 1));
    $('.rest summary', row).focus();
  } else if (row && what === 'remove' && !part(row, 'id').value) {
    e.preventDefault();
    const at = rows().indexOf(row),
      name = part(row, 'name').value;
    row.remove();
    if (!rows().length) append();
    number();
    changed();
    $('.rest summary', rows()[Math.min(at, rows().length - 1)]).focus();
    tell(say('removed', { name }));
  } else if (what === 'add') {
    e.preventDefault();
    $('input:not([type=hidden])', append()).focus();
  } else if (what === 'several') {
    const area = form.elements.several,
      { people, left } = parse(area.value);
    if (left || !people.length) return; // the server says what is wrong
    e.preventDefault();
    area.value = '';
    area.closest('details').open = false;
    addAll(people, rows().at(-1));
  }
});
// Alt with an arrow key moves the row in which the focus is.
form.addEventListener('keydown', e => {
  const row = e.target.closest('.person-row'),
    by = { ArrowUp: -1, ArrowDown: 1 }[e.key];
  if (!row || !by || !e.altKey || e.target.tagName === 'SELECT') return;
  e.preventDefault();
  const focus = document.activeElement;
  move(row, rows().indexOf(row) + by);
  focus.focus();
});

// Dragging by the letter.
list.classList.add('grabbable');
list.addEventListener('pointerdown', e => {
  const row = e.target.closest('.letter')?.closest('.person-row');
  if (!row || e.button || rows().length < 2) return;
  e.preventDefault();
  const over = new AbortController(),
    all = rows(),
    from = all.indexOf(row);
  let to = from;
  const on = (event, then) => addEventListener(event, then, { signal: over.signal });
  const mark = () =>
    all.forEach((r, i) => {
      const going = !over.signal.aborted;
      r.classList.toggle('dragging', going && r === row);
      r.classList.toggle('above', going && i === to && to < from);
      r.classList.toggle('below', going && i === to && to > from);
    });
  const end = () => {
    over.abort();
    mark();
  };
  on('pointermove', m => {
    to = all.filter(r => {
      const b = r.getBoundingClientRect();
      return r !== row && b.top + b.height / 2 < m.clientY;
    }).length;
    mark();
  });
  on('pointerup', () => {
    end();
    move(row, to);
  });
  on('pointercancel', end);
  on('keydown', k => {
    if (k.key === 'Escape') end();
  });
});

// Contacts whose name or address begins with what is typed. Choosing one fills in the rest.
let wait,
  known = [];
const options = (id, all) =>
  $('#' + id).replaceChildren(
    ...all.map(([value, label]) => Object.assign(document.createElement('option'), { value, label })),
  );
form.addEventListener('input', e => {
  const [, kind] = /\.(name|email)$/.exec(e.target.name) || [];
  if (!kind) return;
  const row = e.target.closest('.person-row'),
    chosen =
      e.inputType !== 'insertText' &&
      e.inputType !== 'deleteContentBackward' &&
      known.find(c => c[kind] === e.target.value);
  if (chosen) {
    for (const name of ['name', 'email'])
      if (!part(row, name).value || part(row, name) === e.target) part(row, name).value = chosen[name];
    if (chosen.locale && !part(row, 'locale').value) part(row, 'locale').value = chosen.locale;
    return;
  }
  clearTimeout(wait);
  const q = e.target.value.trim();
  if (q.length < 2) return;
  wait = setTimeout(async () => {
    const answer = await fetch(people.dataset.contacts + encodeURIComponent(q), {
      headers: { 'X-Requested-With': 'fetch' },
    }).catch(() => null);
    if (!answer?.ok || q !== e.target.value.trim()) return; // superseded by further typing
    known = (await answer.json()).data;
    options(
      'contacts',
      known.map(c => [c.email, c.name]),
    );
    options(
      'contact-names',
      known.map(c => [c.name, c.email]),
    );
  }, 200);
});
known = $$('#contacts option').map(o => ({ email: o.value, name: o.label }));

// Store the form before a link or another form leaves it.
const dirty = () => state.dirty || $$('#files input:not([type=checkbox])').some(e => e.value !== e.defaultValue);
addEventListener('submit', e => {
  if (e.target === form) state.sent = !e.defaultPrevented;
});
addEventListener('pageshow', () => {
  state.sent = false;
});
addEventListener('beforeunload', e => {
  if (dirty() && !state.sent) e.preventDefault();
});
const leave = (e, go) => {
  if (!dirty() || state.sent || state.refused || e.defaultPrevented) return;
  e.preventDefault();
  import('./keep.js').then(
    m => m.keep(state, go),
    () => {
      state.refused = true;
    },
  );
};
document.addEventListener('click', e => {
  const a = e.target.closest('a[href]');
  if (
    !a ||
    e.button ||
    e.ctrlKey ||
    e.metaKey ||
    e.shiftKey ||
    a.target ||
    a.getAttribute('href').startsWith('#') ||
    a.dataset.ask !== undefined
  )
    return;
  leave(e, () => location.assign(a.href));
});
document.addEventListener('submit', e => {
  if (e.target !== form) leave(e, () => e.target.requestSubmit(e.submitter));
});
if (location.hash === '#new') $('#new input:not([type=hidden])')?.focus();
