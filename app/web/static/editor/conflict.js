// The dialog for conflicting changes to a draft.
import { root, say, make, tell } from './text.js';

export function ask(saver, { by, at, theirs, both, n }) {
  const { model, view, editor } = saver, mine = new Map(model.fields);
  saver.show(say('unsaved'), true);
  const button = (key, act) => {
    const b = make('button', { type: 'button', className: 'btn', textContent: say(key), id: 'keep-' + key });
    b.addEventListener('click', () => { saver.stopped = false; editor.trouble(''); act(); tell(say('undoable')); view.pane.focus({ preventScroll: true }); });
    return b;
  };
  const keepWith = set => { saver.base = theirs; model.replace(theirs); model.replace(new Map([...set].filter(([, f]) => model.fits(f)))); saver.later(0); };
  editor.trouble(say('conflict', { name: by, ago: ago(at), n }), button('theirs', () => saver.take(theirs)), button('mine', () => keepWith(mine)), button('both', () => keepWith(both)));
}

function ago(at) {
  const minutes = Math.round((new Date(at) - Date.now()) / 60000), f = new Intl.RelativeTimeFormat(root.dataset.lang, { numeric: 'auto' });
  return minutes > -60 ? f.format(Math.min(minutes, 0), 'minute') : f.format(Math.round(minutes / 60), 'hour');
}
