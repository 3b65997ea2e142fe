// Conditions for showing or requiring a field. Only the first comparison can be edited
// here; others, which the API can set, are preserved.
import { $, $$, say, make, typeName } from './text.js';
import { tidy } from './model.js';
import { fixed } from './geometry.js';

// source returns the name conditions use for a field or its group.
const source = f => (f && ((f.type === 'radio' && !f.options && f.group) || f.name)) || '';

export class Condition {
  constructor(box, model) {
    this.model = model;
    this.inputs = $$('select,input', box);
    model.follow = changes => this.followed(changes);
    box.addEventListener('change', () => this.changed());
  }

  // followed updates conditions when fields are renamed and removes comparisons with
  // deleted fields.
  followed(changes) {
    const all = new Map(changes),
      old = new Map(),
      next = () => new Map([...this.model.fields, ...all]);
    for (const [k, f] of all) {
      const was = source(this.model.get(k)),
        is = source(f);
      if (was && was !== is) old.set(was, is);
    }
    if (old.size) for (const f of next().values()) old.delete(source(f));
    if (old.size)
      for (const [k, f] of next()) {
        if (!f?.condition?.when.some(t => old.has(t.field))) continue;
        const when = f.condition.when
          .map(t => (old.has(t.field) ? { ...t, field: old.get(t.field) } : t))
          .filter(t => t.field);
        all.set(k, tidy({ ...f, condition: when.length ? { ...f.condition, when } : null }));
      }
    return all;
  }

  // sources returns the fields a condition may refer to.
  sources() {
    const m = this.model,
      f = m.get(this.key),
      at = id => m.person(id)?.position,
      by = id => m.person(id)?.group?.toLowerCase() || id,
      out = new Map();
    for (const [k, o] of m.fields) {
      const known =
        by(o.who) === by(f.who) ||
        (m.order === 'sequential' && at(o.who) < at(f.who)) ||
        (o.read_only && o.value && !o.condition);
      if (k === this.key || !known || ['signature', 'initials', 'stamp', ...fixed].includes(o.type)) continue;
      const id = source(o) || ' ' + k; // an unnamed field gets a name when it is chosen
      if (!out.has(id) || o.who === f.who) out.set(id, o);
    }
    return out;
  }
  show(key) {
    this.key = key;
    const f = this.model.get(key),
      [then, of, op, than] = this.inputs;
    if (!f || document.activeElement === than) return;
    const [t = {}, ...more] = f.condition?.when || [],
      from = this.sources();
    then.value = f.condition?.then || '';
    if (t.field && !from.has(t.field)) from.set(t.field, null);
    const called = (id, o) => (o ? (o.type === 'radio' && o.group) || o.label || o.name || typeName(o.type) : id);
    of.replaceChildren(
      make('option', { value: '', textContent: '–' }),
      ...[...from].map(([id, o]) => make('option', { value: id, textContent: called(id, o) })),
    );
    of.value = t.field || '';
    op.value = t.op || 'filled';
    than.value = t.value || '';
    $('#q-more').textContent = more.length ? say('more-tests', { n: more.length }) : '';
    this.ask();
  }
  // ask shows the inputs the operator needs and reports whether one of them is a value.
  ask() {
    const [then, of, op, than] = this.inputs,
      compared = !['filled', 'empty'].includes(op.value);
    for (const e of [of, op, than]) e.closest('.field').hidden = !then.value || (e === than && !compared);
    return compared;
  }
  // changed applies the condition once it is complete.
  changed() {
    const [then, of, op, than] = this.inputs,
      m = this.model,
      f = m.get(this.key),
      c = f?.condition,
      value = than.value.trim(),
      compared = this.ask();
    if (!f) return;
    if (!then.value) return c && m.edit([this.key], { condition: null });
    if (!of.value || (compared && !value)) return;
    const test = { field: of.value, op: op.value, ...(compared && { value }) },
      changes = [];
    if (test.field.startsWith(' ')) {
      const k = test.field.slice(1),
        o = m.get(k),
        used = new Set([...m.fields.values()].map(source)),
        name = o.label || typeName(o.type);
      test.field = name;
      for (let n = 2; used.has(test.field); n++) test.field = name + ' ' + n;
      changes.push([k, { ...o, name: test.field }]);
    }
    m.change([
      ...changes,
      [
        this.key,
        { ...f, condition: { then: then.value, match: c?.match || 'all', when: [test, ...(c?.when.slice(1) || [])] } },
      ],
    ]);
  }
}
