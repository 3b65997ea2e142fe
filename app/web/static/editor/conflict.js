// Merges changes that somebody else has made to the draft. Loaded on demand.
import { root, say, make, tell } from './text.js';
import { differ, replace } from './differ.js';

// merge takes over the changes if that discards none of ours, and reports whether to continue.
// Otherwise it asks the user.
export function merge(saver, { by, at, state }) {
  const { model, editor } = saver;
  if (JSON.stringify(state.pages) !== JSON.stringify(model.pages)) {
    saver.stopped = true;
    saver.keep();
    editor.trouble(say('files'), saver.reload());
    return false;
  }
  model.adopt(state);
  // Map fields known here to their local keys.
  const keyOf = new Map([...model.ids].map(([k, id]) => [id, k])),
    theirs = new Map();
  for (const f of state.fields) {
    const [id, field] = model.read(f),
      k = keyOf.get(id) || id;
    model.ids.set(k, id);
    theirs.set(k, field);
  }
  const ours = differ(saver.base, model.fields),
    other = differ(saver.base, theirs);
  editor.peopleChanged();
  if (!other.size) return true;
  if (!ours.size) {
    take(saver, theirs);
    tell('merged', { name: by });
    return false;
  }
  saver.stopped = true;
  saver.keep();
  const both = new Map(theirs);
  for (const k of ours) {
    const f = model.get(k);
    if (model.fits(f)) both.set(k, f);
    else both.delete(k);
  }
  ask(saver, { by, at, theirs, both, n: new Set([...ours, ...other]).size });
  return false;
}

// take replaces the fields with those stored on the server.
function take(saver, theirs) {
  saver.base = theirs;
  replace(saver.model, theirs);
  saver.dirty = false;
  clearTimeout(saver.timer);
  saver.clear();
  saver.show(say('saved-before'));
}

function ask(saver, { by, at, theirs, both, n }) {
  const { model, view, editor } = saver,
    mine = new Map(model.fields);
  saver.show(say('unsaved'), true);
  const button = (key, act) => {
    const b = make('button', { type: 'button', className: 'btn', textContent: say(key), id: 'keep-' + key });
    b.addEventListener('click', () => {
      saver.stopped = false;
      editor.trouble('');
      act();
      tell('undoable');
      view.pane.focus({ preventScroll: true });
    });
    return b;
  };
  const keepWith = set => {
    saver.base = theirs;
    replace(model, theirs);
    replace(model, new Map([...set].filter(([, f]) => model.fits(f))));
    saver.later(0);
  };
  editor.trouble(
    say('conflict', { name: by, ago: ago(at), n }),
    button('theirs', () => take(saver, theirs)),
    button('mine', () => keepWith(mine)),
    button('both', () => keepWith(both)),
  );
}

function ago(at) {
  const minutes = Math.round((new Date(at) - Date.now()) / 60000),
    f = new Intl.RelativeTimeFormat(root.dataset.lang, { numeric: 'auto' });
  return minutes > -60 ? f.format(Math.min(minutes, 0), 'minute') : f.format(Math.round(minutes / 60), 'hour');
}
