// The properties of the selected fields.
import { $, $$, say, make, tell, typeName } from './text.js';
import { clamp, fixed } from './geometry.js';

const mm = 72 / 25.4;
const patterns = {
  digits: '[0-9]+',
  letters: "[\\p{L} .'-]+",
  phone: '\\+?[0-9 ()/-]{5,20}',
  iban: '[A-Z]{2}[0-9]{2}[A-Z0-9 ]{11,32}',
};
// places are the inputs for where a field is.
const places = ['x', 'y', 'w', 'h', 'page'];
const measure = v => String(Math.round(v * 100) / 100);
const numeric = s => {
  const v = parseFloat(s.replace(',', '.'));
  return s.trim() && Number.isFinite(v) ? v : null;
};

export class Properties {
  constructor(model, view, editor) {
    Object.assign(this, { model, view, editor });
    this.form = $('#properties');
    this.unit = $('#q-unit');
    this.pane = $('#pane-properties');
    this.form.addEventListener('submit', e => e.preventDefault());
    this.form.addEventListener('change', e => {
      this.typing = null;
      this.changed(e.target);
    });
    this.form.addEventListener('input', e => {
      if (e.target.name === 'label') this.changed(e.target);
      else this.typing = e.target;
    });
    this.condition = $('#condition');
    if ([...model.fields.values()].some(f => f.condition)) this.tests();
    this.condition.addEventListener('toggle', () => this.show());
    $('#q-preset').addEventListener('change', e => this.preset(e.target.value));
    this.unit.addEventListener('change', () => this.show());
    model.addEventListener('select', () => {
      this.typing = null;
      this.show();
    });
    model.addEventListener('change', () => this.show());
    this.show();
  }
  get keys() {
    return [...this.model.selected];
  }

  show() {
    if (this.pane.hidden) return;
    const all = this.keys.map(k => this.model.get(k)).filter(Boolean);
    this.form.hidden = !all.length;
    $('#none-selected').hidden = !!all.length;
    if (!all.length) return;
    const one = all.length === 1,
      fits = (types, f) =>
        types === 'any' ||
        (types === 'one' ? one : types === 'asked' ? !fixed.includes(f.type) : types.split(' ').includes(f.type));
    $('#properties-of').textContent = one ? typeName(all[0].type) : say('selected', { n: all.length });
    for (const e of $$('[data-for]', this.form)) e.hidden = !all.every(f => fits(e.dataset.for, f));
    const who = this.form.elements.who;
    who.replaceChildren(
      ...this.model.signers.map(p =>
        make('option', { value: p.id, textContent: this.model.letter(p.id) + ' ' + p.name }),
      ),
    );
    const common = read => {
      const v = read(all[0]);
      return all.every(f => read(f) === v) ? v : undefined;
    };
    for (const e of this.form.elements) {
      if (!e.name || places.includes(e.name)) continue;
      if (e.type === 'checkbox') {
        const v = common(f => !!f[e.name]);
        e.checked = !!v;
        e.indeterminate = v === undefined;
      } else {
        this.set(
          e.name,
          common(f => [f[e.name] ?? ''].flat().join('\n')),
        );
      }
    }
    for (const name of ['x', 'y', 'w', 'h'])
      this.set(
        name,
        common(f => measure(this.shown(f, name))),
      );
    this.set(
      'page',
      common(f => String(f.i + 1)),
    );
    this.form.elements.page.max = this.model.pages.length;
    $('#q-format').setAttribute('list', all[0].type === 'number' ? 'numbers' : 'dates');
    if (one) this.depend(all[0]);
    const p = common(f => f.pattern || ''),
      known = Object.keys(patterns).find(k => patterns[k] === p);
    if (document.activeElement !== $('#q-preset')) $('#q-preset').value = known || (p ? 'own' : '');
    $('#own-pattern').hidden = $('#q-preset').value !== 'own';
    $('#own-message').hidden = !p;
  }
  set(name, v) {
    const e = this.form.elements[name];
    // Don't overwrite the label, which is saved on every keystroke, or input that isn't saved yet.
    if (
      e === document.activeElement &&
      e.tagName !== 'SELECT' &&
      v !== undefined &&
      (name === 'label' || this.typing === e)
    )
      return;
    e.value = v ?? '';
    if (e.tagName !== 'SELECT') e.placeholder = v === undefined ? say('mixed') : '';
  }
  // shown returns a field's position or size in the chosen unit.
  shown(f, name) {
    const p = this.model.pages[f.i],
      across = name === 'x' || name === 'w';
    return this.unit.value === 'mm' ? (f[name] * (across ? p.w : p.h)) / mm : f[name] * 100;
  }

  changed(e) {
    const name = e.name;
    let keys = this.keys;
    if (!name || !keys.length) return;
    if (['x', 'y', 'w', 'h'].includes(name)) return this.measured(name, numeric(e.value));
    let v = e.type === 'checkbox' ? e.checked : e.value;
    switch (name) {
      case 'required':
      case 'read_only':
        break;
      case 'options':
        v = v
          .split('\n')
          .map(s => s.trim())
          .filter(Boolean);
        if (!v.length) v = null;
        break;
      case 'group_min':
      case 'group_max':
        v = Math.max(Math.round(numeric(v) || 0), 0) || null;
        keys = this.together(keys);
        break;
      case 'font_size':
        v = numeric(v);
        if (v !== null) v = clamp(v, 6, 144);
        break;
      case 'cells':
        v = clamp(Math.round(numeric(v) || 0), 0, 100) || null;
        break;
      case 'color':
        v = v.trim().toLowerCase();
        if (v && !/^#[0-9a-f]{6}$/.test(v)) return this.show();
        break;
      case 'page':
        return this.page(numeric(v));
      case 'type':
        return this.type(v);
      default:
        v = v.trim();
    }
    this.model.edit(
      keys,
      { [name]: v, ...(name === 'formula' && { read_only: !!v, required: false, value: null }) },
      name === 'label' ? 'label' : '',
    );
    this.editor.fields.remember(keys[0]);
  }
  // together adds the other boxes of their groups, which share these limits.
  together(keys) {
    const m = this.model,
      of = f => f.type + f.who + f.group,
      some = keys
        .map(k => m.get(k))
        .filter(f => f.group)
        .map(of);
    return [...m.fields.keys()].filter(k => keys.includes(k) || some.includes(of(m.get(k))));
  }
  measured(name, v) {
    if (v === null) return this.show();
    const points = f => {
      const p = this.model.pages[f.i],
        whole = name === 'x' || name === 'w' ? p.w : p.h;
      return this.unit.value === 'mm' ? v * mm : (v / 100) * whole;
    };
    this.model.change(
      this.keys.map(k => {
        const f = this.model.get(k),
          b = this.model.box(f),
          p = this.model.pages[f.i],
          n = points(f);
        const to = {
          x: clamp(n, 0, p.w - b.w),
          y: clamp(n, 0, p.h - b.h),
          w: clamp(n, 6, p.w - b.x),
          h: clamp(n, 6, p.h - b.y),
        }[name];
        return [k, this.model.boxed(f, { ...b, [name]: to })];
      }),
    );
    this.editor.fields.remember(this.keys[0]);
  }
  page(n) {
    if (n === null) return this.show();
    const i = clamp(Math.round(n), 1, this.model.pages.length) - 1;
    this.model.change(
      this.keys.map(k => {
        const f = this.model.get(k);
        return [k, this.model.boxed(f, this.model.box(f), i)];
      }),
    );
    this.view.go(i);
  }
  // type changes the type of the selected fields.
  async type(type) {
    const keys = this.keys,
      part = await import('./type.js').catch(() => tell('failed'));
    if (part)
      this.model.edit(
        keys,
        part.become(type, this.form, () => this.editor.fields.group()),
      );
  }
  // depend shows the field's condition, loading the module for it if there is one.
  async depend(f) {
    this.condition.hidden = ['signature', ...fixed].includes(f.type);
    if (f.condition) this.condition.open = true;
    if (this.condition.open) (await this.tests())?.show(this.keys[0]);
  }
  async tests() {
    const part = await import('./condition.js').catch(() => {});
    return part && (this.rules ||= new part.Condition(this.condition, this.model));
  }
  preset(name) {
    $('#own-pattern').hidden = name !== 'own';
    if (name === 'own') return $('#q-pattern').focus();
    this.model.edit(this.keys, { pattern: patterns[name] || null });
  }
}
