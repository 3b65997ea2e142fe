// Mouse, pen and touch. Every drag has an alternative: the keyboard, the numbers in the
// properties, or the menus.
import { $, root, make, tell, typeName } from './text.js';
import { linesOf, snapBox, resized, around, clamp, lay } from './geometry.js';

const slack = 4,
  reach = 6; // pixels: drag threshold, snap distance
const long = 500; // milliseconds before a press counts as long
const adds = e => e.shiftKey || e.ctrlKey || e.metaKey; // to the selection
const begun = e => ({ id: e.pointerId, x: e.clientX, y: e.clientY, at: e });

export class Pointer {
  constructor(model, view, editor) {
    Object.assign(this, { model, view, editor });
    this.snap = true;
    view.pane.addEventListener('pointerdown', e => this.down(e));
    // Listen on the window: the pages can scroll away under the pointer.
    addEventListener('pointermove', e => this.move(e));
    addEventListener('pointerup', e => this.up(e));
    addEventListener('pointercancel', e => this.cancel(e));
    // Cache positions until something scrolls or resizes; measuring in every frame would
    // force a layout each time.
    this.rects = new Map();
    for (const event of ['scroll', 'resize'])
      addEventListener(event, () => this.rects.clear(), { capture: true, passive: true });
    view.pane.addEventListener('contextmenu', e => {
      if (this.touch && e.target.closest('.box')) e.preventDefault();
    });
    $('.palette').addEventListener('pointerdown', e => this.carry(e));
    // Select on clicks from scripts and screen readers; pointer clicks are handled above.
    view.pane.addEventListener('click', e => {
      const k = view.keyOf(e.target);
      if (k && e.detail === 0) editor.pick(k, adds(e));
    });
  }

  down(e) {
    if (e.button !== 0 || this.drag) return;
    this.touch = e.pointerType === 'touch';
    const key = this.view.keyOf(e.target),
      page = this.view.pageOf(e.target),
      handle = e.target.closest('[data-handle]');
    const start = begun(e);
    this.rects.clear();
    if (this.editor.type && page >= 0) this.drag = { ...start, kind: 'place', page, type: this.editor.type };
    else if (handle) this.drag = { ...start, kind: 'resize', key, handle: handle.dataset.handle };
    else if (key) this.press(e, key, start);
    else if (page >= 0) this.drag = { ...start, kind: this.touch ? 'tap' : 'marquee', add: adds(e) };
    if (this.drag && !this.touch && this.drag.kind !== 'move') e.preventDefault();
    if (this.drag?.kind === 'marquee') this.view.pane.focus({ preventScroll: true });
  }
  press(e, key, start) {
    const add = adds(e),
      was = this.model.selected.has(key);
    if (add) this.model.toggle(key);
    else if (!was && !this.touch) this.model.select([key]);
    this.view.focus(key, true);
    // With touch, the first press selects and only the next one drags; otherwise the pages couldn't be scrolled.
    this.drag = { ...start, kind: this.touch && !was ? 'tap' : 'move', key, was, add, copy: e.altKey };
    if (this.touch)
      this.drag.timer = setTimeout(() => {
        this.model.toggle(key);
        this.drag = null;
        tell('selected', { n: this.model.selected.size });
      }, long);
    else e.preventDefault();
  }

  move(e) {
    const d = this.drag;
    if (!d && this.editor.type && e.pointerType !== 'touch') return this.hover(e);
    if (!d || e.pointerId !== d.id) return;
    d.at = e;
    if (!d.going) {
      if (Math.hypot(e.clientX - d.x, e.clientY - d.y) < (this.touch ? 10 : slack)) return;
      clearTimeout(d.timer);
      if (d.kind === 'tap' || (d.kind === 'place' && this.touch)) {
        if (d.kind === 'tap') this.drag = null;
        return;
      }
      d.going = true;
      this.view.busy = true;
      // Capture the pointer, so that nothing else is hit-tested or highlighted.
      if (e.isTrusted) this.view.pane.setPointerCapture(d.id);
      this[d.kind + 'Start']?.(d);
    }
    this.frame ??= requestAnimationFrame(() => this.step());
  }
  step() {
    this.frame = null;
    const d = this.drag;
    if (!d?.going) return;
    if (this.gone(d)) return this.cancel();
    if (this.scroll(d)) this.frame = requestAnimationFrame(() => this.step());
    this[d.kind + 'Step'](d, d.at);
  }
  // gone reports whether a dragged field has been deleted by someone else.
  gone(d) {
    return [...(d.keys || (d.key ? [d.key] : []))].some(k => !this.model.fields.has(k));
  }
  // scroll scrolls the pages when the pointer is near the edge.
  scroll(d) {
    if (d.kind === 'marquee' || d.kind === 'resize') return false;
    const r = (d.frame ||= this.view.scrolls
      ? this.view.pane.getBoundingClientRect()
      : { top: 0, bottom: innerHeight, left: 0, right: innerWidth });
    if (d.at.clientX < r.left || d.at.clientX > r.right) return false;
    const by = d.at.clientY < r.top + 40 ? -14 : d.at.clientY > r.bottom - 40 ? 14 : 0;
    if (by) {
      this.view.scrollBy(by);
      this.rects.clear();
    }
    return by;
  }
  up(e) {
    const d = this.drag;
    if (!d || e.pointerId !== d.id) return;
    clearTimeout(d.timer);
    this.drag = null;
    cancelAnimationFrame(this.frame);
    this.frame = null;
    d.at = e;
    if (this.gone(d)) return d.going && this.clean(d);
    if (d.going) {
      this[d.kind + 'Step'](d, e);
      this[d.kind + 'End'](d, e);
      this.clean(d);
    } else this.click(d, e);
  }
  cancel(e) {
    const d = this.drag;
    if (!d || (e && e.pointerId !== d.id)) return;
    clearTimeout(d.timer);
    this.drag = null;
    if (d.going) {
      this.clean(d);
      this.view.redraw();
      if (d.key) this.view.focus(d.key, true);
    }
  }
  clean(d) {
    d.ghost?.remove();
    this.view.guides(d.page ?? 0, null);
    this.view.busy = false;
    for (const b of root.querySelectorAll('.going')) {
      b.classList.remove('going');
      b.style.transform = '';
    }
    this.view.showNear();
  }
  // click ends a press that never became a drag.
  click(d, e) {
    if (d.kind === 'place')
      return this.editor.place(d.type, d.page, null, { box: this.spot(d.type, d.page, e).box, keep: e.shiftKey });
    if (d.kind === 'marquee' || (d.kind === 'tap' && !d.key)) {
      if (!d.add) this.model.select([]);
      return;
    }
    if (d.key && !d.add && (d.was || this.touch)) {
      this.model.select([d.key]);
      this.view.focus(d.key, true);
    }
  }

  rect(i) {
    if (!this.rects.has(i)) this.rects.set(i, this.view.papers[i].getBoundingClientRect());
    return this.rects.get(i);
  }
  // point returns the pointer's position on a page, in points.
  point(i, e) {
    const r = this.rect(i),
      p = this.model.pages[i];
    return { x: ((e.clientX - r.left) / r.width) * p.w, y: ((e.clientY - r.top) / r.height) * p.h };
  }
  lines(i, without) {
    const p = this.model.pages[i],
      boxes = [];
    for (const k of this.model.on[i]) if (!without?.has(k)) boxes.push(this.model.box(this.model.get(k)));
    const lines = linesOf(boxes, p),
      text = this.text?.get(i);
    if (text) {
      lines.x.push(...text.x.map(x => x * p.w));
      lines.stand = text.y.map(y => y * p.h);
    }
    return lines;
  }
  // read loads where the lines of text are, for fields to snap to.
  async read() {
    if (this.text) return;
    this.text = new Map();
    const answer = await fetch(root.dataset.base + '/edit/lines', {
      headers: { 'X-Requested-With': 'fetch' },
      credentials: 'same-origin',
    }).catch(() => null);
    if (!answer?.ok) return void (this.text = null); // the next drag tries again
    for (const p of (await answer.json()).pages) {
      const i = this.model.places.get(p.file + '/' + p.page);
      if (i >= 0) this.text.set(i, p);
    }
  }
  // spot returns the box of a new field under the pointer, and what it snaps to.
  spot(type, i, e) {
    const [w, h] = this.editor.fields.sizeFor(type),
      p = this.model.pages[i],
      at = this.point(i, e);
    const b = { w: Math.min(w, p.w), h: Math.min(h, p.h) };
    b.x = clamp(at.x - b.w / 2, 0, p.w - b.w);
    b.y = clamp(at.y - b.h / 2, 0, p.h - b.h);
    if (!this.snapping(e) || this.touch) return { box: b };
    const to = snapBox(b, this.lines(i), reach / this.view.zoom);
    b.x = clamp(b.x + (to.x?.by || 0), 0, p.w - b.w);
    b.y = clamp(b.y + (to.y?.by || 0), 0, p.h - b.h);
    return { box: b, lines: to };
  }
  // ghostOf returns a shape in the colour of the recipient whose field it will be.
  ghostOf(type, name) {
    const m = this.model,
      id = this.editor.for;
    return make(
      'div',
      { className: name + ' ' + m.hue(id), 'aria-hidden': 'true' },
      make('span', { className: 'letter', textContent: m.letter(id) }),
      ' ' + typeName(type),
    );
  }
  // hover shows the armed field where a click would place it.
  hover(e) {
    this.over = e;
    this.hovering ??= requestAnimationFrame(() => {
      this.hovering = null;
      const type = this.editor.type,
        i = this.view.pageOf(this.over.target);
      if (!type || this.drag) return;
      if (i < 0) return this.unhover();
      this.read();
      const { box: b, lines } = this.spot(type, i, this.over);
      this.ghost ||= this.ghostOf(type, 'ghost');
      if (this.ghost.parentNode !== this.view.layers[i]) this.view.layers[i].append(this.ghost);
      lay(this.ghost, b, this.model.pages[i]);
      this.view.guides(i, lines);
      this.guided = i;
    });
  }
  unhover() {
    this.ghost?.remove();
    this.ghost = null;
    if (this.guided !== undefined) this.view.guides(this.guided, null);
    this.guided = undefined;
  }
  snapping(e) {
    return this.snap && !e.altKey;
  }
  // pageAt returns the page at a vertical position, searching from a given page.
  pageAt(i, y) {
    while (i + 1 < this.view.papers.length && y > this.rect(i).bottom + 8) i++;
    while (i > 0 && y < this.rect(i).top - 8) i--;
    return i;
  }

  moveStart(d) {
    this.read();
    const f = this.model.get(d.key);
    if (!this.model.selected.has(d.key)) this.model.select([d.key]);
    d.keys = new Set(this.model.selected);
    d.page = d.from = f.i;
    const b = this.model.box(f),
      at = this.point(f.i, { clientX: d.x, clientY: d.y });
    d.grip = { x: at.x - b.x, y: at.y - b.y };
    d.mates = [...d.keys]
      .map(k => this.model.get(k))
      .filter(g => g.i === f.i)
      .map(g => this.model.box(g));
    d.all = around(d.mates);
    d.box = b;
    d.lines = {};
    d.put = new Map(); // positions last laid out; the rest of the move is a transform
    for (const k of d.keys) {
      d.put.set(k, this.model.get(k));
      this.view.boxes.get(k)?.classList.add('going');
    }
  }
  moveStep(d, e) {
    const i = this.pageAt(d.page, e.clientY),
      at = this.point(i, e);
    d.page = i;
    let dx = at.x - d.grip.x - d.box.x,
      dy = at.y - d.grip.y - d.box.y,
      snapped = null;
    // Alt held from the start copies; pressed during the drag it disables snapping.
    if (this.snap && !(e.altKey && !d.copy)) {
      const lines = (d.lines[i] ||= this.lines(i, d.copy ? null : d.keys));
      snapped = snapBox({ ...d.all, x: d.all.x + dx, y: d.all.y + dy }, lines, reach / this.view.zoom);
      dx += snapped.x?.by || 0;
      dy += snapped.y?.by || 0;
    }
    d.to = this.model.shifted(d.keys, dx, dy, i - d.from);
    for (const [k, f] of d.to) this.view.shift(k, d.put, f);
    this.view.guides(i, snapped);
  }
  moveEnd(d) {
    if (d.copy) {
      const keys = d.to.map(([, f]) => [this.model.newKey(), f]);
      this.view.redraw();
      this.model.change(keys);
      this.model.select(keys.map(([k]) => k));
      this.view.focus(keys[0][0], true);
      return tell('copied', { n: keys.length });
    }
    this.model.change(d.to);
    if (d.page !== d.from) this.view.redraw();
    this.view.focus(d.key, true);
    this.editor.where(d.key);
  }

  resizeStart(d) {
    this.read();
    const f = this.model.get(d.key);
    d.page = f.i;
    d.box = this.model.box(f);
    d.set = this.lines(f.i, new Set([d.key]));
  }
  resizeStep(d, e) {
    const from = this.point(d.page, { clientX: d.x, clientY: d.y }),
      at = this.point(d.page, e),
      f = this.model.get(d.key);
    const { box, guides } = resized(
      d.box,
      d.handle,
      at.x - from.x,
      at.y - from.y,
      this.model.pages[d.page],
      this.snapping(e) && d.set,
      reach / this.view.zoom,
    );
    d.to = this.model.boxed(f, box);
    this.view.place(this.view.boxes.get(d.key), d.to);
    this.view.guides(d.page, {
      x: guides.x !== undefined && { line: guides.x },
      y: guides.y !== undefined && { line: guides.y },
    });
  }
  resizeEnd(d) {
    this.model.change([[d.key, d.to]]);
    this.view.focus(d.key, true);
    this.editor.big(d.key);
    this.editor.fields.remember(d.key);
  }

  placeStart(d) {
    d.from = this.point(d.page, { clientX: d.x, clientY: d.y });
    this.unhover();
    d.ghost = this.ghostOf(d.type, 'ghost');
    this.view.layers[d.page].append(d.ghost);
  }
  placeStep(d, e) {
    if (!d.ghost) return;
    const p = this.model.pages[d.page],
      at = this.point(d.page, e),
      x = clamp(at.x, 0, p.w),
      y = clamp(at.y, 0, p.h);
    d.box = around([
      { ...d.from, w: 0, h: 0 },
      { x, y, w: 0, h: 0 },
    ]);
    lay(d.ghost, d.box, p);
  }
  placeEnd(d, e) {
    this.editor.place(d.type, d.page, this.point(d.page, e), { box: d.box, keep: e.shiftKey });
  }

  marqueeStart(d) {
    d.ghost = make('div', { className: 'marquee' });
    root.append(d.ghost);
  }
  marqueeStep(d, e) {
    d.box = around([
      { x: d.x, y: d.y, w: 0, h: 0 },
      { x: e.clientX, y: e.clientY, w: 0, h: 0 },
    ]);
    Object.assign(d.ghost.style, {
      left: d.box.x + 'px',
      top: d.box.y + 'px',
      width: d.box.w + 'px',
      height: d.box.h + 'px',
    });
  }
  marqueeEnd(d) {
    const hits = new Set(d.add ? this.model.selected : []);
    for (const [k, b] of this.view.boxes) {
      const r = b.getBoundingClientRect();
      if (r.width && r.left < d.box.x + d.box.w && r.right > d.box.x && r.top < d.box.y + d.box.h && r.bottom > d.box.y)
        hits.add(k);
    }
    this.model.select(hits);
    tell('selected', { n: hits.size });
  }

  // carry drags a field type from the palette onto a page.
  carry(e) {
    const b = e.target.closest('[data-type]');
    if (!b || e.button !== 0 || e.pointerType === 'touch' || !this.editor.for) return;
    this.touch = false;
    this.drag = { ...begun(e), kind: 'carry', type: b.dataset.type, page: this.view.current };
  }
  carryStart(d) {
    this.read();
    const [w, h] = this.editor.fields.sizeFor(d.type),
      z = this.view.zoom;
    d.ghost = this.ghostOf(d.type, 'ghost carried');
    Object.assign(d.ghost.style, { width: w * z + 'px', height: h * z + 'px' });
    root.append(d.ghost);
    addEventListener(
      'click',
      e => {
        e.stopPropagation();
        e.preventDefault();
      },
      { capture: true, once: true, signal: AbortSignal.timeout(1000) },
    );
    d.size = [w * z, h * z];
  }
  carryStep(d, e) {
    const i = this.view.pageOf(document.elementFromPoint(e.clientX, e.clientY));
    let x = e.clientX - d.size[0] / 2,
      y = e.clientY - d.size[1] / 2;
    if (i >= 0) {
      const { box: b, lines } = this.spot(d.type, i, e),
        r = this.rect(i),
        z = this.view.zoom;
      [x, y] = [r.left + b.x * z, r.top + b.y * z];
      this.view.guides((d.page = i), lines);
    } else this.view.guides(d.page, null);
    d.ghost.style.transform = `translate(${x}px,${y}px)`;
  }
  carryEnd(d, e) {
    d.ghost.remove();
    const i = this.view.pageOf(document.elementFromPoint(e.clientX, e.clientY));
    if (i >= 0) this.editor.place(d.type, i, null, { box: this.spot(d.type, i, e).box });
  }
}
