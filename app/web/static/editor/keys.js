// Keyboard control. Tab is never intercepted: it moves from field to field and out of
// the editor.
import { $, $$, root, tell } from './text.js';
import { clamp } from './geometry.js';

export const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
export const pages = { PageUp: -1, PageDown: 1 };
const writing = e => e.target.closest('input,textarea,select,dialog,[contenteditable]');

// step is how far an arrow key moves a field: 0.25 % of the page width, 2 % with Shift.
export const step = (page, large) => page.w * (large ? 0.02 : 0.0025);

export class Keys {
  constructor(model, view, editor) {
    Object.assign(this, { model, view, editor });
    document.addEventListener('keydown', e => {
      if (e.defaultPrevented || e.isComposing || (!root.contains(e.target) && e.target !== document.body)) return;
      if (
        e.target.closest('.cursor')
          ? this.editor.cursor.press(e)
          : e.target.closest('.box')
            ? this.box(e) || this.common(e)
            : this.common(e)
      )
        e.preventDefault();
    });
  }

  // box handles a key pressed on a field and reports whether it was consumed.
  box(e) {
    const key = this.view.keyOf(e.target),
      arrow = arrows[e.key],
      ctrl = e.ctrlKey || e.metaKey;
    if (arrow && !ctrl) return this.go(key, arrow, e);
    if (e.key in pages && (ctrl || e.altKey)) {
      this.ready(key);
      this.model.change(this.model.shifted(this.model.selected, 0, 0, pages[e.key]));
      this.view.focus(key);
      return (tell('moved-page', { page: this.model.get(key).i + 1 }), true);
    }
    if (e.key === ' ') {
      this.model.toggle(key);
      tell('selected', { n: this.model.selected.size });
      return true;
    }
    if (e.key === 'Enter') {
      this.ready(key);
      this.editor.show('properties', true);
      return true;
    }
    if ((e.key === 'Delete' || e.key === 'Backspace' || (ctrl && 'cdx'.includes(e.key.toLowerCase()))) && !e.altKey)
      this.ready(key);
    return false;
  }
  // ready adds the focused field to the selection.
  ready(key) {
    if (!this.model.selected.has(key)) this.model.select([key]);
  }

  go(key, [x, y], e) {
    this.ready(key);
    const m = this.model,
      by = step(m.pages[m.get(key).i], e.shiftKey);
    if (e.altKey) {
      m.change(
        [...m.selected].map(k => {
          const f = m.get(k),
            p = m.pages[f.i],
            b = m.box(f);
          return [k, m.boxed(f, { ...b, w: clamp(b.w + x * by, 6, p.w - b.x), h: clamp(b.h + y * by, 6, p.h - b.y) })];
        }),
        'size',
      );
      this.editor.big(key, 300);
      this.editor.fields.remember(key);
    } else {
      m.change(m.shifted(m.selected, x * by, y * by), 'move');
      this.editor.where(key, 300);
    }
    this.view.reveal(this.view.boxes.get(key));
    return true;
  }

  common(e) {
    const ctrl = e.ctrlKey || e.metaKey,
      letter = e.key.toLowerCase();
    if (e.key === 'F6') {
      this.pane(e.shiftKey ? -1 : 1);
      return true;
    }
    if (e.key === 'Escape' && !e.target.closest('dialog')) return this.editor.stop();
    if (writing(e)) return false;
    if (ctrl && letter === 'z') {
      this.editor.do(e.shiftKey ? 'redo' : 'undo');
      return true;
    }
    if (ctrl && letter === 'y') {
      this.editor.do('redo');
      return true;
    }
    if (ctrl && letter === 'v' && !e.shiftKey) {
      this.editor.do('paste');
      return true;
    }
    if (!e.target.closest('#pages')) return false;
    const m = this.model,
      own = m.get(this.view.keyOf(e.target));
    if (ctrl && letter === 'a') {
      m.select(m.on[own ? own.i : this.view.current]);
      tell('selected', { n: m.selected.size });
      return true;
    }
    if (!m.selected.size) return false;
    const act =
      { delete: 'delete', backspace: 'delete' }[letter] ||
      (ctrl && !e.shiftKey && { c: 'copy', d: 'duplicate', x: 'cut' }[letter]);
    if (!act || (e.key === 'c' && getSelection().toString())) return false;
    this.editor.do(act);
    return true;
  }

  // pane moves focus to the next visible part of the editor.
  pane(way) {
    const all = ['#tools', '#thumbs', '#pages', '#selection', '#side'].map(s => $(s)).filter(e => e && e.offsetParent),
      at = all.findIndex(e => e.contains(document.activeElement));
    const next = all[(at + way + all.length) % all.length],
      inside =
        (next.id === 'pages' && this.view.boxes.get([...this.model.selected][0])) ||
        (next.id === 'side' && $('[role=tab][aria-selected=true]', next)) ||
        $$('a[href],button,select,input', next).find(x => x.offsetParent);
    (next.id === 'pages' && !this.model.selected.size ? next : inside || next).focus();
  }
}
