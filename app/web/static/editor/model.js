// The document's fields, the selection, and the undo history. Field objects are
// immutable: an edit replaces them.
import { $ } from './text.js';
import { clamp } from './geometry.js';

const steps = 100;
// plain are the members of a field that have one value: where it is, and its properties as the server names them.
export const plain = ['x', 'y', 'w', 'h', 'who', 'formula', 'condition', ...$('#editor').dataset.properties.split(' ')];

export class Model extends EventTarget {
  constructor(state) {
    super();
    this.pages = state.pages;
    this.places = new Map(state.pages.map((p, i) => [p.file + '/' + p.page, i]));
    this.adopt(state);
    this.fields = new Map();
    this.on = state.pages.map(() => new Set());
    this.ids = new Map();
    this.selected = new Set();
    this.touched = new Set(); // pages changed since the view last rendered
    this.undone = [];
    this.done = [];
    this.count = 0;
    for (const f of state.fields) {
      this.ids.set(f.id, f.id);
      this.put(...this.read(f));
    }
  }

  // adopt replaces the version and the recipients, but not the fields.
  adopt(state) {
    this.version = state.version;
    this.people = state.people;
    this.order = state.order;
    this.hands = new Map(state.people.map((p, i) => [p.id, i]));
  }

  person(id) {
    return this.people[this.hands.get(id)];
  }
  letter(id) {
    const i = this.hands.get(id) ?? 0,
      letter = String.fromCharCode(65 + (i % 8));
    return i < 8 ? letter : String.fromCharCode(65 + ((Math.floor(i / 8) - 1) % 26)) + letter;
  }
  hue(id) {
    const i = this.hands.get(id) ?? 0;
    return 'r' + ((i % 8) + 1) + (i < 8 ? '' : ' more');
  }
  get(key) {
    return this.fields.get(key);
  }
  // fills reports whether a recipient can have fields.
  fills(p) {
    return /^(signer|approver)$/.test(p.role);
  }
  get signers() {
    return this.people.filter(p => this.fills(p));
  }

  // read converts a field from the server's format. Its key is the server's identifier.
  read(f) {
    const out = { i: this.places.get(f.file + '/' + f.page) ?? -1 };
    for (const k of plain) if (f[k] || f[k] === 0) out[k] = f[k];
    if (out.options && !out.options.length) delete out.options;
    if (f.found) out.found = f.found;
    return [f.id, Object.freeze(out)];
  }
  // wire converts a field to the server's format.
  wire(key) {
    const f = this.get(key),
      page = this.pages[f.i],
      out = { id: this.ids.get(key) || '', file: page.file, page: page.page };
    for (const k of plain) if (f[k] !== undefined) out[k] = f[k];
    if (!out.id) out.found = f.found;
    return out;
  }
  fits(f) {
    return f && f.i >= 0 && f.i < this.pages.length && this.hands.has(f.who) && this.fills(this.person(f.who));
  }
  newKey() {
    return 'n' + ++this.count + '-' + Math.random().toString(36).slice(2, 8);
  }

  put(key, f) {
    const old = this.get(key);
    if (old) {
      this.on[old.i].delete(key);
      this.touched.add(old.i);
    }
    if (f && f.i >= 0) {
      this.touched.add(f.i);
      this.fields.set(key, f);
      this.on[f.i].add(key);
    } else {
      this.fields.delete(key);
      this.selected.delete(key);
    }
  }

  // change replaces fields (null deletes one) as one undo step. Consecutive changes of
  // the same kind are merged into one step.
  change(changes, kind) {
    const step = { kind, at: Date.now(), changes: [] };
    for (const [key, f] of this.follow?.(changes) || changes) {
      // conditions that refer to them, see condition.js
      const before = this.get(key) || null,
        after = f && Object.freeze(f);
      if (before !== after) step.changes.push([key, before, after]);
    }
    if (!step.changes.length) return;
    const last = this.done.at(-1);
    if (kind && last?.kind === kind && step.at - last.at < 1000 && same(last.changes, step.changes)) {
      step.changes = step.changes.map(([key, , after], i) => [key, last.changes[i][1], after]);
      this.done.pop();
      for (const [key, , after] of step.changes) this.put(key, after);
    } else for (const [key, , after] of step.changes) this.put(key, after);
    this.done.push(step);
    if (this.done.length > steps) this.done.shift();
    this.undone = [];
    this.changed(step.changes.map(c => c[0]));
  }
  // edit sets properties of one or more fields.
  edit(keys, members, kind) {
    this.change(
      keys.map(k => [
        k,
        tidy({ ...this.get(k), ...(typeof members === 'function' ? members(this.get(k), k) : members) }),
      ]),
      kind,
    );
  }
  changed(keys) {
    this.dispatchEvent(new CustomEvent('change', { detail: keys }));
  }

  undo() {
    return this.step(this.done, this.undone, 1);
  }
  redo() {
    return this.step(this.undone, this.done, 2);
  }
  step(from, to, side) {
    const step = from.pop();
    if (!step) return null;
    // Don't restore fields of recipients who have been removed.
    for (const c of step.changes) this.put(c[0], this.fits(c[side]) ? c[side] : null);
    to.push({ ...step, kind: '' });
    const keys = step.changes.map(c => c[0]);
    this.select(keys.filter(k => this.fields.has(k)));
    this.changed(keys);
    return keys;
  }

  select(keys) {
    this.selected = new Set(keys);
    this.dispatchEvent(new Event('select'));
  }
  toggle(key) {
    const s = new Set(this.selected);
    if (!s.delete(key)) s.add(key);
    this.select(s);
  }

  // ordered returns a page's fields in reading order: top to bottom, then left to right.
  ordered(i) {
    const line = f => Math.round((f.y + f.h / 2) * 60);
    return [...this.on[i]].sort((a, b) => {
      const f = this.get(a),
        g = this.get(b);
      return line(f) - line(g) || f.x - g.x || f.y - g.y;
    });
  }
  all() {
    return this.pages.flatMap((_, i) => this.ordered(i));
  }
  // after returns the next field in reading order, or the previous one if it is the last.
  after(key, without = new Set([key])) {
    const all = this.all(),
      at = all.indexOf(key);
    return (
      all.slice(at + 1).find(k => !without.has(k)) ||
      all
        .slice(0, at)
        .reverse()
        .find(k => !without.has(k)) ||
      null
    );
  }
  before(key) {
    const all = this.ordered(this.get(key).i);
    return all[all.indexOf(key) - 1] || null;
  }

  box(f) {
    const p = this.pages[f.i];
    return { x: f.x * p.w, y: f.y * p.h, w: f.w * p.w, h: f.h * p.h };
  }
  // boxed returns the field moved to a box in points, kept within the page.
  boxed(f, b, i = f.i) {
    const p = this.pages[i],
      w = round(Math.min(b.w / p.w, 1)),
      h = round(Math.min(b.h / p.h, 1));
    return { ...f, i, x: clamp(round(b.x / p.w), 0, 1 - w), y: clamp(round(b.y / p.h), 0, 1 - h), w, h };
  }
  // shifted moves fields together by points and pages, keeping all of them on the paper.
  shifted(keys, dx, dy, pages = 0) {
    const list = [...keys].map(k => ({ k, f: this.get(k), b: this.box(this.get(k)) }));
    pages = clamp(pages, -Math.min(...list.map(o => o.f.i)), this.pages.length - 1 - Math.max(...list.map(o => o.f.i)));
    const to = o => this.pages[o.f.i + pages];
    dx = clamp(dx, Math.max(...list.map(o => -o.b.x)), Math.min(...list.map(o => to(o).w - o.b.w - o.b.x)));
    dy = clamp(dy, Math.max(...list.map(o => -o.b.y)), Math.min(...list.map(o => to(o).h - o.b.h - o.b.y)));
    return list.map(o => [o.k, this.boxed(o.f, { ...o.b, x: o.b.x + dx, y: o.b.y + dy }, o.f.i + pages)]);
  }
}

const round = v => Math.round(v * 1e6) / 1e6;
const same = (a, b) => a.length === b.length && a.every((c, i) => c[0] === b[i][0]);
export function tidy(f) {
  for (const k in f) if (f[k] === '' || f[k] === null || f[k] === undefined || f[k] === false) delete f[k];
  return f;
}
