// Arranges and copies fields. Loaded on demand.
import { tell } from './text.js';
import { around } from './geometry.js';

// arranged aligns the boxes of one page, spaces them evenly, or makes all as large as the first.
function arranged(kind, boxes) {
  const all = around(boxes),
    first = boxes[0];
  const each = {
    'align-left': b => ({ x: all.x }),
    'align-center': b => ({ x: all.x + (all.w - b.w) / 2 }),
    'align-right': b => ({ x: all.x + all.w - b.w }),
    'align-top': b => ({ y: all.y }),
    'align-middle': b => ({ y: all.y + (all.h - b.h) / 2 }),
    'align-bottom': b => ({ y: all.y + all.h - b.h }),
    'same-width': () => ({ w: first.w }),
    'same-height': () => ({ h: first.h }),
  }[kind];
  if (each) return boxes.map(b => ({ ...b, ...each(b) }));
  const [at, size] = kind === 'spread-across' ? ['x', 'w'] : ['y', 'h'];
  const order = boxes.map((_, i) => i).sort((a, b) => boxes[a][at] - boxes[b][at]);
  const gap = boxes.length > 1 ? (all[size] - boxes.reduce((n, b) => n + b[size], 0)) / (boxes.length - 1) : 0;
  const out = [...boxes];
  let place = all[at];
  for (const i of order) {
    out[i] = { ...boxes[i], [at]: place };
    place += boxes[i][size] + gap;
  }
  return out;
}

// arrange aligns, distributes or resizes the fields of each page.
export function arrange(m, kind, keys) {
  const pages = new Map();
  for (const k of keys) {
    const i = m.get(k).i;
    pages.set(i, [...(pages.get(i) || []), k]);
  }
  const changes = [];
  for (const own of pages.values()) {
    if (own.length < 2) continue;
    arranged(
      kind,
      own.map(k => m.box(m.get(k))),
    ).forEach((b, n) => changes.push([own[n], m.boxed(m.get(own[n]), b)]));
  }
  m.change(changes);
  tell('aligned');
}

// like aligns fields with the one before the first of them.
export function like(m, axis, keys) {
  const before = m.before(keys[0]);
  if (!before) return;
  const at = m.box(m.get(before))[axis];
  m.change(
    keys.map(k => {
      const f = m.get(k);
      return [k, m.boxed(f, { ...m.box(f), [axis]: at })];
    }),
  );
  tell('aligned');
}

// paste adds copies to the page in view, or next to the fields that they were copied from.
export function paste({ model: m, view }, list) {
  if (!list.length) return;
  const i = view.current,
    first = Math.min(...list.map(f => f.i));
  insert(
    { model: m, view },
    list.filter(f => m.fits(f)),
    'pasted',
    first === i ? 12 : 0,
    i - first,
  );
}

// insert adds copies of fields, slightly offset or on other pages.
export function insert({ model: m, view }, list, key, aside, pages = 0) {
  const made = list.map(f => {
    const b = m.box(f),
      i = Math.min(Math.max(f.i + pages, 0), m.pages.length - 1);
    return [m.newKey(), m.boxed(f, { ...b, x: b.x + aside, y: b.y + aside }, i)];
  });
  if (!made.length) return;
  m.change(made);
  m.select(made.map(([k]) => k));
  view.focus(made[0][0]);
  tell(key, { n: made.length, page: made[0][1].i + 1 });
}
