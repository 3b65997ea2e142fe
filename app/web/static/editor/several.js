// Arranges and copies fields. Loaded on demand.
import { say, tell } from './text.js';
import { arranged } from './geometry.js';

// arrange aligns, distributes or resizes the fields of each page.
export function arrange(m, kind, keys) {
  const pages = new Map();
  for (const k of keys) { const i = m.fields.get(k).i; pages.set(i, [...pages.get(i) || [], k]); }
  const changes = [];
  for (const own of pages.values()) {
    if (own.length < 2) continue;
    arranged(kind, own.map(k => m.box(m.fields.get(k)))).forEach((b, n) => changes.push([own[n], m.boxed(m.fields.get(own[n]), b)]));
  }
  m.change(changes);
  tell(say('aligned'));
}

// like aligns fields with the one before the first of them.
export function like(m, axis, keys) {
  const before = m.before(keys[0]);
  if (!before) return;
  const at = m.box(m.fields.get(before))[axis];
  m.change(keys.map(k => { const f = m.fields.get(k); return [k, m.boxed(f, { ...m.box(f), [axis]: at })]; }));
  tell(say('aligned'));
}

// paste adds copies to the page in view, or next to the fields that they were copied from.
export function paste({ model: m, view }, list) {
  if (!list.length) return;
  const i = view.current, first = Math.min(...list.map(f => f.i));
  insert({ model: m, view }, list.filter(f => m.fits(f)), 'pasted', first === i ? 12 : 0, i - first);
}

// insert adds copies of fields, slightly offset or on other pages.
export function insert({ model: m, view }, list, key, aside, pages = 0) {
  const made = list.map(f => {
    const b = m.box(f), i = Math.min(Math.max(f.i + pages, 0), m.pages.length - 1);
    return [m.newKey(), m.boxed(f, { ...b, x: b.x + aside, y: b.y + aside }, i)];
  });
  if (!made.length) return;
  m.change(made);
  m.select(made.map(([k]) => k));
  view.focus(made[0][0]);
  tell(say(key, { n: made.length, page: made[0][1].i + 1 }));
}
