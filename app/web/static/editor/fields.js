// The palette: field types, and the recipient new fields belong to.
import { $, $$, say, make } from './text.js';
import { fixed, sizeOf } from './geometry.js';
import { plain } from './model.js';

export class Fields {
  constructor(model, view, editor, saved) {
    Object.assign(this, { model, view, editor });
    this.select = $('#for');
    this.last = {}; // last size and text style used, by type
    this.style = {};
    this.select.addEventListener('change', () => this.choose(this.select.value));
    $('#only').addEventListener('change', () => this.highlight());
    this.offer(saved);
    $('#pane-fields').addEventListener('click', e => {
      const b = e.target.closest('[data-type]');
      if (!b) return;
      if (b.getAttribute('aria-pressed') === 'true') return editor.disarm(true);
      this.preset = this.saved.find(s => s.id === b.dataset.saved)?.field;
      this.chosen = b.dataset.saved;
      editor.arm(b.dataset.type, e.detail === 0);
    });
    this.people();
  }

  // offer shows the fields that the company has saved.
  offer(saved) {
    this.saved = saved;
    const group = $('#saved-fields');
    group.hidden = !saved.length;
    $('.palette', group).replaceChildren(
      ...saved.map(s =>
        make('button', {
          type: 'button',
          'aria-pressed': 'false',
          dir: 'auto',
          textContent: s.name,
          data: { type: s.field.type, saved: s.id },
        }),
      ),
    );
  }
  // people fills the list of recipients who can have fields.
  people() {
    const list = this.model.signers;
    if (!list.some(p => p.id === this.for)) this.for = list[0]?.id || '';
    this.select.replaceChildren(
      ...list.map(p =>
        make('option', {
          value: p.id,
          textContent: this.model.letter(p.id) + ' ' + p.name,
          selected: p.id === this.for,
        }),
      ),
    );
    this.select.disabled = !list.length;
    $('#no-one').hidden = !!list.length;
    for (const b of $$('.palette button')) b.setAttribute('aria-disabled', !list.length);
    this.show();
  }
  choose(id) {
    this.for = id;
    this.select.value = id;
    this.show();
    this.highlight();
  }
  show() {
    this.badge($('#for-letter'));
    for (const link of $$('#preview,#preview-too')) {
      link.hidden = !this.for;
      link.href = this.editor.base + '/preview/' + this.for;
    }
  }
  // badge makes an element the letter of the chosen recipient.
  badge(e) {
    e.className = 'letter ' + (this.for ? this.model.hue(this.for) : '');
    e.textContent = this.for ? this.model.letter(this.for) : '';
  }
  highlight() {
    this.view.only = $('#only').checked && this.for;
    this.view.redraw();
  }
  pressed(type) {
    for (const b of $$('.palette button'))
      b.setAttribute('aria-pressed', b.dataset.type === type && b.dataset.saved === (this.preset && this.chosen));
  }

  sizeFor(type) {
    const p = this.model.pages[this.view.current],
      f = this.preset;
    if (f) return [f.w * p.w, f.h * p.h];
    return this.last[type] || sizeOf(type);
  }
  // remember stores a field's size and style as the defaults for the next one.
  remember(key) {
    const f = this.model.get(key);
    if (!f) return;
    const b = this.model.box(f);
    this.last[f.type] = [b.w, b.h];
    this.style = { font_size: f.font_size, align: f.align };
  }

  // fresh returns a new field with the defaults for its type.
  fresh(type, i, box) {
    if (this.preset) {
      const f = { i, who: this.for };
      for (const k of plain) if (this.preset[k] && k !== 'who') f[k] = this.preset[k];
      return this.model.boxed(f, box, i);
    }
    const f = { i, who: this.for, type, required: !['checkbox', 'attachment', ...fixed].includes(type) };
    if (
      [
        'text',
        'name',
        'email',
        'company',
        'job_title',
        'phone',
        'label',
        'number',
        'date',
        'date_signed',
        'select',
      ].includes(type)
    ) {
      if (this.style.font_size) f.font_size = this.style.font_size;
      if (this.style.align) f.align = this.style.align;
    }
    if (type === 'select') f.options = [say('option', { n: 1 }), say('option', { n: 2 })];
    if (type === 'radio') f.group = this.group();
    for (const k in f) if (f[k] === false) delete f[k];
    return this.model.boxed({ ...f, x: 0, y: 0, w: 0, h: 0 }, box, i);
  }
  // group returns the group of this recipient's most recent radio button, or a new one.
  group() {
    const own = [...this.model.fields.values()].filter(f => f.type === 'radio' && f.group);
    const last = own.filter(f => f.who === this.for).at(-1);
    return last ? last.group : say('choice', { n: new Set(own.map(f => f.group)).size + 1 });
  }
}
