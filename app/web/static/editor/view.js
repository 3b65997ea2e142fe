// Pages and the boxes on them. Boxes exist only for pages near the viewport and for the
// nearest pages with fields before and after it, so that Tab reaches them.
import { $, $$, root, say, make, typeName } from './text.js';
import { clamp, lay } from './geometry.js';

const handles = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'];

export class View {
  constructor(model) {
    this.model = model;
    this.pane = $('#pages');
    this.sheets = $$('.sheet', this.pane);
    this.papers = this.sheets.map(s => $('.paper', s));
    this.layers = this.sheets.map(s => $('.layer', s));
    this.counts = $$('[data-count]');
    this.links = $$('#thumbs a');
    this.boxes = new Map();
    this.shown = new Set();
    this.near = new Set([0]);
    this.wrong = new Set();
    this.fit = 'width';
    root.classList.add('ready');
    this.refit();
    this.current = 0;
    this.watch('900px 0px', all => this.moved(all));
    document.addEventListener(
      'scroll',
      () => {
        this.looking ??= requestAnimationFrame(() => {
          this.looking = null;
          this.seen();
        });
      },
      { capture: true, passive: true },
    );
    new ResizeObserver(() => this.refit()).observe(this.pane);
    model.addEventListener('change', e => this.changed(e.detail));
    model.addEventListener('select', () => this.mark());
    model.pages.forEach((_, i) => this.count(i));
  }

  watch(rootMargin, then) {
    const o = new IntersectionObserver(then, { rootMargin, scrollMargin: rootMargin });
    for (const s of this.sheets) o.observe(s);
  }

  // Zoom in CSS pixels per point.
  scale() {
    const p = this.model.pages[this.current] || this.model.pages[0],
      styles = getComputedStyle(this.pane);
    const wide = this.pane.clientWidth - parseFloat(styles.paddingLeft) - parseFloat(styles.paddingRight) - 4;
    if (this.fit === 'width') return wide / Math.max(p.w, this.widest());
    if (this.fit === 'page') return Math.min(wide / p.w, ((this.pane.clientHeight || innerHeight) * 0.96) / p.h);
    return this.zoom;
  }
  widest() {
    return this.model.pages.reduce((w, p) => Math.max(w, p.w), 1);
  }
  refit() {
    if (!this.pane.clientWidth || (!this.fit && this.zoomed)) return;
    this.setZoom(clamp(this.scale(), 0.2, 6), true);
  }
  setZoom(z, keep) {
    if (!keep) this.fit = '';
    if (Math.abs(z - this.zoom) < 0.001) return;
    // What is in the middle stays there. The first page stays at the top: measuring lays out all pages twice.
    const paper = this.current && this.papers[this.current],
      at = paper && paper.getBoundingClientRect(),
      middle = paper && (this.pane.clientHeight || innerHeight) / 2;
    this.zoom = z;
    this.zoomed = true;
    this.pane.style.setProperty('--z', z);
    const shown = $('#zoom');
    shown.textContent = shown.dataset.words.replace('0', Math.round(z * 75));
    this.sizes();
    if (paper) {
      const now = paper.getBoundingClientRect();
      this.scrollBy(now.top + (now.height * (middle - at.top)) / (at.height || 1) - middle);
    }
    this.sharpen();
  }
  // scrolls reports whether the pages have their own scrollbar rather than the window's.
  get scrolls() {
    return this.pane.scrollHeight > this.pane.clientHeight + 1;
  }
  scrollBy(y) {
    if (this.scrolls) this.pane.scrollTop += y;
    else scrollBy(0, y);
  }
  // sharpen loads a larger image for pages displayed larger than their current one.
  sharpen() {
    for (const i of this.near) {
      const img = $('img', this.papers[i]);
      if (this.model.pages[i].w * this.zoom * devicePixelRatio > 1500 && !img.src.includes('w=2000'))
        img.src += '&w=2000';
    }
  }

  moved(all) {
    for (const e of all) {
      const i = +e.target.dataset.i;
      if (e.isIntersecting) this.near.add(i);
      else this.near.delete(i);
    }
    this.seen(); // measures, so before anything is drawn
    this.showNear();
    this.sharpen();
  }
  showNear() {
    const want = new Set(this.near),
      all = [...this.near].sort((a, b) => a - b),
      has = i => this.model.on[i].size;
    if (all.length) {
      for (let i = all[0] - 1; i >= 0; i--)
        if (has(i)) {
          want.add(i);
          break;
        }
      for (let i = all.at(-1) + 1; i < this.sheets.length; i++)
        if (has(i)) {
          want.add(i);
          break;
        }
    }
    const focused = document.activeElement.closest?.('.sheet');
    if (focused) want.add(+focused.dataset.i);
    for (const i of this.shown)
      if (!want.has(i) && !this.busy) {
        this.layers[i].replaceChildren();
        for (const k of this.model.on[i]) this.boxes.delete(k);
        this.shown.delete(i);
      }
    for (const i of want)
      if (!this.shown.has(i)) {
        this.shown.add(i);
        this.render(i);
      }
  }
  // seen returns the page in the middle of the viewport.
  seen() {
    const line = innerHeight / 2,
      at = [...this.near].find(i => {
        const r = this.sheets[i].getBoundingClientRect();
        return r.top <= line && r.bottom >= line;
      });
    if (at === undefined) return;
    this.current = at;
    const link = this.links[at],
      old = $('.thumbs [aria-current]');
    if (link === old) return;
    old?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
  }
  count(i) {
    const n = this.model.on[i].size,
      e = this.counts[i],
      text = n ? say('count', { n }) : '';
    if (e && e.textContent !== text) e.textContent = text;
  }

  // render draws a page's boxes in reading order.
  render(i) {
    const layer = this.layers[i],
      keys = this.model.ordered(i),
      wanted = new Set(keys);
    for (const b of [...layer.children])
      if (b.dataset.key && !wanted.has(b.dataset.key)) {
        b.remove();
        if (this.boxes.get(b.dataset.key) === b) this.boxes.delete(b.dataset.key);
      }
    const focused = document.activeElement,
      at = keys.indexOf(focused.dataset?.key);
    let before = null;
    keys.forEach((k, n) => {
      let b = this.boxes.get(k);
      if (!b)
        this.boxes.set(
          k,
          (b = make(
            'button',
            { type: 'button', className: 'box', data: { key: k } },
            make('span', { className: 'in' }),
          )),
        );
      this.draw(b, k);
      // Don't move boxes that are already in place, nor the focused one: moving it would
      // drop its focus.
      const follows = b.parentNode === layer && (before ? before.nextSibling === b : layer.firstChild === b);
      before = b;
      if (follows || (b === focused && b.parentNode === layer)) return;
      if (at >= 0 && n < at && focused.parentNode === layer) layer.insertBefore(b, focused);
      else layer.append(b);
    });
  }
  draw(b, key) {
    const m = this.model,
      f = m.get(key),
      name = m.person(f.who)?.name || '';
    b.className = 'box ' + m.hue(f.who);
    this.place(b, f);
    const label = (f.type === 'label' && f.value) || f.label || typeName(f.type);
    b.firstChild.replaceChildren(
      make('span', { className: 'letter', data: { letter: m.letter(f.who) } }),
      make('span', { className: f.required ? 'what need' : 'what', dir: 'auto', textContent: label }),
    );
    b.setAttribute(
      'aria-label',
      say(f.required ? 'box-required' : 'box', {
        type: f.label ? f.label + ', ' + typeName(f.type) : typeName(f.type),
        name,
        page: f.i + 1,
      }),
    );
    b.classList.toggle('wrong', this.wrong.has(key));
    b.classList.toggle('dim', !!this.only && f.who !== this.only);
    this.markBox(b, key);
  }
  place(b, f) {
    lay(b, f).transform = '';
    this.shape(b, f);
  }
  // shift draws a box at its position during a drag. Within its page this is only a
  // transform, which needs no layout or repaint.
  shift(key, put, f) {
    const b = this.boxes.get(key),
      from = put.get(key),
      p = this.model.pages[f.i];
    if (!b) return;
    if (from.i === f.i) {
      b.style.transform = `translate(${(f.x - from.x) * p.w * this.zoom}px,${(f.y - from.y) * p.h * this.zoom}px)`;
      return;
    }
    this.layers[f.i].append(b);
    this.place(b, f);
    put.set(key, f);
  }
  // shape hides what doesn't fit into a box.
  shape(b, f) {
    const p = this.model.pages[f.i],
      w = f.w * p.w * this.zoom,
      h = f.h * p.h * this.zoom;
    b.classList.toggle('small', w < 44);
    b.classList.toggle('tiny', w < 26 || h < 14);
    b.classList.toggle('narrow', w < 64);
    b.classList.toggle('flat', h < 64);
  }
  sizes() {
    for (const [k, b] of this.boxes) this.shape(b, this.model.get(k));
  }

  changed(keys) {
    for (const k of keys) {
      const f = this.model.get(k),
        b = this.boxes.get(k),
        from = b && +b.closest('.sheet')?.dataset.i;
      this.wrong.delete(k);
      if (b && (!f || from !== f.i)) {
        const focused = b === document.activeElement;
        b.remove();
        this.boxes.delete(k);
        if (focused) this.lost = k;
      }
    }
    // Boxes of distant pages aren't rendered, so render by page.
    for (const i of this.model.touched) {
      if (this.shown.has(i)) this.render(i);
      this.count(i);
    }
    this.model.touched.clear();
    this.showNear();
    if (this.lost) {
      const k = this.lost;
      this.lost = null;
      this.focus(k);
    }
  }
  redraw() {
    for (const i of this.shown) this.render(i);
    this.model.pages.forEach((_, i) => this.count(i));
  }

  mark() {
    for (const [k, b] of this.boxes) this.markBox(b, k);
  }
  markBox(b, key) {
    const on = this.model.selected.has(key),
      alone = on && this.model.selected.size === 1;
    b.setAttribute('aria-pressed', on);
    const has = b.children.length > 1;
    if (alone && !has) b.append(...handles.map(h => make('span', { className: 'handle ' + h, data: { handle: h } })));
    if (!alone && has) b.replaceChildren(b.firstChild);
  }

  // focus scrolls to a field and focuses it; without one it focuses the pages.
  focus(key, quiet) {
    const f = key && this.model.get(key);
    if (!f) return this.pane.focus({ preventScroll: true });
    if (!this.shown.has(f.i)) {
      this.shown.add(f.i);
      this.render(f.i);
    }
    const b = this.boxes.get(key);
    b.focus({ preventScroll: true });
    if (!quiet) this.reveal(b);
  }
  reveal(e) {
    const r = e.getBoundingClientRect(),
      frame = this.scrolls ? this.pane.getBoundingClientRect() : { top: 70, bottom: innerHeight - 140 };
    if (r.top < frame.top + 8 || r.bottom > frame.bottom - 70) e.scrollIntoView({ block: 'center', inline: 'nearest' });
  }
  go(i) {
    this.sheets[i].scrollIntoView({ block: 'start' });
    this.current = i;
  }
  keyOf(e) {
    return e?.closest?.('.box')?.dataset.key;
  }
  pageOf(e) {
    const s = e?.closest?.('.paper')?.closest('.sheet');
    return s ? +s.dataset.i : -1;
  }

  // guides draws the lines something snapped to, in points.
  guides(i, lines) {
    const p = this.model.pages[i],
      z = this.zoom;
    this.lines ||= ['down', 'across'].map(way => make('div', { className: 'guide ' + way, hidden: true }));
    if (lines && this.lines[0].parentNode !== this.layers[i]) this.layers[i].append(...this.lines);
    const show = (g, at, to) => {
      if (g.hidden !== (at === undefined)) g.hidden = !g.hidden;
      if (!g.hidden) g.style.transform = to(at * z);
    };
    show(this.lines[0], lines?.x?.line, v => `translateX(${Math.min(v, p.w * z - 1)}px)`);
    show(this.lines[1], lines?.y?.line, v => `translateY(${Math.min(v, p.h * z - 1)}px)`);
    if (!lines) for (const g of this.lines) g.remove();
  }
}
