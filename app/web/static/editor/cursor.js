// Placing a field with a cursor moved by the arrow keys. Loaded on demand.
import { say, make, tell, typeName, percent } from './text.js';
import { clamp, lay } from './geometry.js';
import { arrows, pages, step } from './keys.js';

export class Cursor {
  constructor(model, view, editor) {
    Object.assign(this, { model, view, editor });
  }

  begin(type) {
    this.end();
    const i = this.view.current,
      p = this.model.pages[i],
      [w, h] = this.editor.fields.sizeFor(type);
    this.at = { i, x: (p.w - w) / 2, y: (p.h - h) / 2, w, h, type };
    this.mark = make('div', { className: 'cursor', tabIndex: 0, role: 'application', textContent: typeName(type) });
    this.mark.addEventListener('blur', () =>
      setTimeout(() => {
        if (this.mark && document.activeElement !== this.mark && !this.moving) this.editor.disarm();
      }),
    );
    this.put();
  }
  put() {
    const a = this.at,
      p = this.model.pages[a.i],
      layer = this.view.layers[a.i];
    a.x = clamp(a.x, 0, p.w - a.w);
    a.y = clamp(a.y, 0, p.h - a.h);
    if (this.mark.parentNode !== layer) {
      this.moving = true;
      layer.append(this.mark);
    }
    lay(this.mark, a, p);
    this.mark.setAttribute(
      'aria-label',
      say('cursor', { type: typeName(a.type), name: this.model.person(this.editor.for)?.name, page: a.i + 1 }),
    );
    this.mark.focus({ preventScroll: true });
    this.moving = false;
    this.view.reveal(this.mark);
  }
  end() {
    const m = this.mark;
    this.mark = null;
    m?.remove();
  }
  // press handles a key and reports whether it was consumed.
  press(e) {
    const a = this.at,
      arrow = arrows[e.key],
      p = this.model.pages[a.i];
    if (arrow) {
      const by = step(p, e.shiftKey) * (e.shiftKey ? 1 : 4);
      if (e.altKey) {
        a.w = clamp(a.w + arrow[0] * by, 6, p.w);
        a.h = clamp(a.h + arrow[1] * by, 6, p.h);
      } else {
        a.x += arrow[0] * by;
        a.y += arrow[1] * by;
      }
      this.put();
      tell('at', { page: a.i + 1, x: percent(a.x / p.w), y: percent(a.y / p.h) }, 300);
    } else if (e.key in pages) {
      a.i = clamp(a.i + pages[e.key], 0, this.model.pages.length - 1);
      this.put();
      tell('moved-page', { page: a.i + 1 });
    } else if (e.key === 'Enter' || e.key === ' ') {
      const { type, i, ...box } = a;
      this.end();
      this.editor.place(type, i, null, { box, exact: true });
    } else if (e.key === 'Escape') {
      this.editor.disarm(true);
    } else return false;
    return true;
  }
}
