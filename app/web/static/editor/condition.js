// When a field is shown or required. Only the first comparison is changed here; further
// ones, which programs may set, are kept.
import { $, $$, say, make, typeName } from './text.js';
import { tidy } from './model.js';

// source is the name by which conditions refer to a field, or to its group.
const source = f => f && (f.type === 'radio' && !f.options && f.group || f.name) || '';

export class Condition {
  constructor(box, model) {
    this.model = model;
    this.inputs = $$('select,input', box);
    model.follow = changes => this.followed(changes);
    box.addEventListener('change', () => this.changed());
  }

  // followed makes conditions follow fields that are renamed, and drops what they say
  // about fields that are gone.
  followed(changes) {
    const all = new Map(changes), old = new Map(), next = () => new Map([...this.model.fields, ...all]);
    for (const [k, f] of all) { const was = source(this.model.fields.get(k)), is = source(f); if (was && was !== is) old.set(was, is); }
    if (old.size) for (const f of next().values()) old.delete(source(f));
    if (old.size) for (const [k, f] of next()) {
      if (!f?.condition?.when.some(t => old.has(t.field))) continue;
      const when = f.condition.when.map(t => old.has(t.field) ? { ...t, field: old.get(t.field) } : t).filter(t => t.field);
      all.set(k, tidy({ ...f, condition: when.length ? { ...f.condition, when } : null }));
    }
    return all;
  }

  // sources lists what the condition may refer to.
  sources() {
    const m = this.model, f = m.fields.get(this.key), at = id => m.person(id)?.position, out = new Map();
    for (const [k, o] of m.fields) {
      const known = o.who === f.who || m.order === 'sequential' && at(o.who) < at(f.who) || o.readOnly && o.value && !o.condition;
      if (k === this.key || !known || ['signature', 'initials', 'stamp'].includes(o.type)) continue;
      const id = source(o) || ' ' + k; // a field without a name gets one when it is chosen
      if (!out.has(id) || o.who === f.who) out.set(id, o);
    }
    return out;
  }
  show(key) {
    this.key = key;
    const f = this.model.fields.get(key), [then, of, op, than] = this.inputs;
    if (!f || document.activeElement === than) return;
    const [t = {}, ...more] = f.condition?.when || [], from = this.sources();
    then.value = f.condition?.then || '';
    if (t.field && !from.has(t.field)) from.set(t.field, null);
    const called = (id, o) => o ? o.type === 'radio' && o.group || o.label || o.name || typeName(o.type) : id;
    of.replaceChildren(make('option', { value: '', textContent: '–' }), ...[...from].map(([id, o]) => make('option', { value: id, textContent: called(id, o) })));
    of.value = t.field || '';
    op.value = t.op || 'filled';
    than.value = t.value || '';
    $('#q-more').textContent = more.length ? say('more-tests', { n: more.length }) : '';
    this.ask();
  }
  // ask shows the inputs that are needed, and reports whether a value is among them.
  ask() {
    const [then, of, op, than] = this.inputs, compared = !['filled', 'empty'].includes(op.value);
    for (const e of [of, op, than]) e.closest('.field').hidden = !then.value || e === than && !compared;
    return compared;
  }
  // changed takes over a condition once it is complete.
  changed() {
    const [then, of, op, than] = this.inputs, m = this.model, f = m.fields.get(this.key), c = f?.condition, value = than.value.trim(), compared = this.ask();
    if (!f) return;
    if (!then.value) return c && m.edit([this.key], { condition: null });
    if (!of.value || compared && !value) return;
    const test = { field: of.value, op: op.value, ...compared && { value } }, changes = [];
    if (test.field.startsWith(' ')) {
      const k = test.field.slice(1), o = m.fields.get(k), used = new Set([...m.fields.values()].map(source)), name = o.label || typeName(o.type);
      test.field = name;
      for (let n = 2; used.has(test.field); n++) test.field = name + ' ' + n;
      changes.push([k, { ...o, name: test.field }]);
    }
    m.change([...changes, [this.key, { ...f, condition: { then: then.value, match: c?.match || 'all', when: [test, ...c?.when.slice(1) || []] } }]]);
  }
}
