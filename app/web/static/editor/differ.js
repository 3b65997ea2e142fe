// Sets of fields, as stored here and on the server. Loaded on demand.
import { plain } from './model.js';

// differ returns the keys of fields that differ between two sets.
export function differ(a, b) {
  const out = new Set(),
    text = f => f && JSON.stringify([f.i, ...plain.map(k => f[k])]);
  for (const [k, f] of b) {
    const g = a.get(k);
    if (g !== f && text(g) !== text(f)) out.add(k);
  }
  for (const k of a.keys()) if (!b.has(k)) out.add(k);
  return out;
}

// replace swaps the whole set of a model as one undo step.
export function replace(model, fields) {
  const changes = new Map([...model.fields.keys()].map(k => [k, null]));
  for (const [k, f] of fields) changes.set(k, f);
  model.change([...changes].filter(([k, f]) => f || model.fields.has(k)));
}
