// Offers changes that were left unsaved when the editor was closed. Loaded on demand.
import { say, make, tell } from './text.js';
import { differ, replace } from './differ.js';

export function offer(saver, kept) {
  const { model, view, editor } = saver;
  const fields = new Map(kept.fields.filter(([, f]) => model.fits(f)));
  for (const [k] of fields) if (!k.startsWith('n')) model.ids.set(k, k);
  const before = new Map(kept.base),
    changed = differ(before, fields),
    n = changed.size;
  const same = !differ(before, saver.base).size;
  if (!n) return saver.clear();
  const act = (key, then) => {
    const b = make('button', { type: 'button', className: 'btn', textContent: say(key), id: 'left-' + key });
    b.addEventListener('click', () => {
      editor.trouble('');
      saver.clear();
      then();
      view.pane.focus({ preventScroll: true });
    });
    return b;
  };
  editor.trouble(
    say('left', { n }),
    act('restore', () => {
      // Keep other people's changes, except to the fields that were changed here.
      const set = same ? fields : new Map(model.fields);
      if (!same)
        for (const k of changed) {
          if (fields.has(k)) set.set(k, fields.get(k));
          else set.delete(k);
        }
      replace(model, set);
      tell('restored');
    }),
    act('discard', () => {}),
  );
}
