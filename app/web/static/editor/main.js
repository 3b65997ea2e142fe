// The field editor. Everything it does is also possible in the list of fields, which
// needs no script.
import { $, $$, root, say, tell, typeName, percent } from './text.js';
import { Model } from './model.js';
import { View } from './view.js';
import { Pointer } from './pointer.js';
import { Keys, step } from './keys.js';
import { Fields } from './fields.js';
import { Problems } from './problems.js';
import { Saver } from './save.js';
import { open } from './dialogs.js';

// pause lets the browser respond to what happened meanwhile.
const pause = () => new Promise(done => setTimeout(done));

class Editor {
  // start makes the parts one after the other, each in a task of its own: of a long document they take
  // longer together than a page may go without responding.
  async start() {
    const state = JSON.parse($('#state').textContent),
      m = (this.model = new Model(state));
    this.base = root.dataset.base;
    this.contacts = root.dataset.contacts;
    this.clipboard = [];
    await pause();
    const v = (this.view = new View(m));
    await pause();
    this.fields = new Fields(m, v, this, state.saved || []);
    new Keys(m, v, this);
    this.pointer = new Pointer(m, v, this);
    this.wrong = new Problems(m, v, state.problems || []);
    this.saver = new Saver(m, v, this);
    root.addEventListener('click', e => {
      const b = e.target.closest('[data-do]');
      if (b && b.getAttribute('aria-disabled') !== 'true') {
        b.closest('details.menu')?.removeAttribute('open');
        this.do(b.dataset.do);
      }
    });
    for (const t of $$('[role=tab]')) {
      t.addEventListener('click', () => this.show(t.id.slice(4)));
      t.addEventListener('keydown', e => this.tab(e, t));
    }
    for (const b of $$('[data-go]')) b.addEventListener('click', () => this.show(b.dataset.go));
    $('#thumbs').addEventListener('click', e => this.jump(e));
    root.addEventListener('keyup', e => {
      if (e.key === ' ' && e.target.closest('.box')) e.preventDefault();
    });
    m.addEventListener('select', () => this.tools());
    m.addEventListener('change', () => {
      this.tools();
      if (!$('#pane-people').hidden) this.people?.render();
    });
    this.tools();
    if (!m.signers.length) this.show('people');
    $('#status').dataset.ready = 'yes';
  }
  // fill shows what a panel is about. What is entered before its module has loaded would be lost.
  async fill(pane) {
    const box = $('#pane-' + pane);
    box.inert = !this[pane];
    const part = await this.part(pane);
    box.inert = false;
    pane === 'people' ? part?.render() : part?.show();
  }
  // load imports a module on first use.
  load(name) {
    return import(`./${name}.js`).catch(() => tell('failed'));
  }
  // use calls a function of such a module.
  async use(name, call, ...args) {
    return (await this.load(name))?.[call](...args);
  }
  // part makes one of the editor's parts on first use.
  async part(name) {
    const made = await this.load(name);
    return (this[name] ||= made && new made[name[0].toUpperCase() + name.slice(1)](this.model, this.view, this));
  }
  get for() {
    return this.fields.for;
  }

  // Commands of buttons and keys, by name.
  do(name) {
    const m = this.model,
      keys = [...m.selected];
    if (/^(align|spread|same)-/.test(name)) return this.use('several', 'arrange', m, name, keys);
    if (name.startsWith('nudge-'))
      return this.nudge({ left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[name.slice(6)], keys);
    switch (name) {
      case 'undo':
      case 'redo':
        return this.back(name);
      case 'zoom-in':
        return this.view.setZoom(Math.min(this.view.zoom * 1.25, 6));
      case 'zoom-out':
        return this.view.setZoom(Math.max(this.view.zoom / 1.25, 0.2));
      case 'fit-width':
      case 'fit-page':
        this.view.fit = name.slice(4);
        return this.view.refit();
      case 'snap':
        return this.snap();
      case 'disarm':
        return this.disarm(true);
      case 'help':
        return open($('#help'), $('#help [data-close]'));
      case 'add-person':
        return this.part('people').then(p => p?.add());
      case 'add-me':
        return this.part('people').then(p => p?.addMe());
      case 'paste':
        return this.use('several', 'paste', this, this.clipboard);
      case 'find':
        return this.part('found').then(p => p?.find());
      case 'accept-all':
        return this.found.accept([...this.found.list]);
      case 'found-close':
        return this.found.close();
    }
    if (!keys.length) return tell('none');
    switch (name) {
      case 'delete':
      case 'cut':
        if (name === 'cut') this.copy(keys);
        return this.delete(keys);
      case 'copy':
        this.copy(keys);
        return tell('copied', { n: keys.length });
      case 'duplicate':
        return this.use(
          'several',
          'insert',
          this,
          keys.map(k => m.get(k)),
          'copied',
          12,
        );
      case 'copy-pages':
        return this.use('copypages', 'copyToPages', m, keys);
      case 'save-field':
        return this.use('saved', 'save', this, keys[0]);
      case 'properties':
        return this.show('properties', true);
      case 'like-left':
        return this.use('several', 'like', m, 'x', keys);
      case 'like-top':
        return this.use('several', 'like', m, 'y', keys);
    }
  }

  tools() {
    const m = this.model,
      n = m.selected.size;
    for (const [name, steps] of [
      ['undo', m.done],
      ['redo', m.undone],
    ])
      for (const b of $$(`[data-do=${name}]`)) b.setAttribute('aria-disabled', !steps.length);
    $('#selection').hidden = !n || !!this.type; // one bar at a time
    $('#selected').textContent = say('selected', { n });
    for (const g of $$('#selection .many')) g.hidden = n < 2;
  }

  arm(type, byKeyboard) {
    if (!this.for) return tell('no-one');
    this.type = type;
    this.fields.pressed(type);
    root.classList.add('armed');
    this.from = document.activeElement;
    if (root.dataset.pane !== 'overview' && getComputedStyle($('.bottom')).display !== 'none') this.show('pages');
    if (byKeyboard) return this.part('cursor').then(c => this.type === type && c?.begin(type));
    const told = $('#placing'),
      of = { type: typeName(type), name: this.model.person(this.for).name };
    this.fields.badge(told.firstElementChild);
    $('.text', told).textContent = say('place', of);
    told.hidden = false;
    this.tools();
    tell('place', of);
  }
  disarm(back) {
    if (!this.type) return false;
    this.type = '';
    this.fields.preset = undefined;
    this.fields.pressed('');
    root.classList.remove('armed');
    $('#placing').hidden = true;
    this.pointer.unhover();
    this.tools();
    this.cursor?.end();
    if (back) {
      if (this.from?.offsetParent) this.from.focus();
      tell('disarmed');
    }
    return true;
  }
  // stop handles Escape: it cancels whatever was started last.
  stop() {
    if (this.pointer.drag) return (this.pointer.cancel(), true);
    if (this.disarm(true)) return true;
    if (!this.model.selected.size) return false;
    this.model.select([]);
    tell('none');
    return true;
  }

  // place creates a field in a box, or of its usual size around a point if the box is too small.
  place(type, i, at, { box, keep, exact }) {
    if (!this.for) return tell('no-one');
    const m = this.model,
      [w, h] = this.fields.sizeFor(type),
      p = m.pages[i];
    if (!box || box.w < 6 || box.h < 6)
      box = { x: at.x - w / 2, y: at.y - h / 2, w: Math.min(w, p.w), h: Math.min(h, p.h) };
    const key = m.newKey();
    m.change([[key, this.fields.fresh(type, i, box)]]);
    if (!keep) this.disarm();
    m.select([key]);
    this.view.focus(key, !exact);
    this.fields.remember(key);
    tell('placed', { type: typeName(type), page: i + 1 });
  }
  pick(key, add) {
    if (add) this.model.toggle(key);
    else this.model.select([key]);
    this.view.focus(key, true);
  }

  where(key, wait) {
    const f = this.model.get(key);
    tell('at', { page: f.i + 1, x: percent(f.x), y: percent(f.y) }, wait);
  }
  big(key, wait) {
    const f = this.model.get(key);
    tell('size-is', { w: percent(f.w), h: percent(f.h) }, wait);
  }

  nudge([x, y], keys) {
    if (!keys.length) return;
    const m = this.model,
      by = step(m.pages[m.get(keys[0]).i]);
    m.change(m.shifted(keys, x * by, y * by), 'move');
    this.where(keys[0], 300);
  }
  copy(keys) {
    this.clipboard = keys.map(k => this.model.get(k));
  }
  delete(keys) {
    const gone = new Set(keys),
      next = this.model.after(keys.at(-1), gone),
      inside = document.activeElement.closest('#pages,#selection,#pane-properties');
    this.model.change(keys.map(k => [k, null]));
    this.model.select(next ? [next] : []);
    if (inside) this.view.focus(next);
    tell('deleted', { n: keys.length });
  }
  back(name) {
    const keys = this.model[name]();
    if (!keys) return tell('nothing-' + name);
    const shown = keys.find(k => this.model.fields.has(k));
    if (document.activeElement === document.body || document.activeElement === this.view.pane) this.view.focus(shown);
    else if (shown && this.view.boxes.has(shown)) this.view.reveal(this.view.boxes.get(shown));
    tell(name === 'undo' ? 'undone' : 'redone');
  }
  snap() {
    this.pointer.snap = !this.pointer.snap;
    for (const b of $$('[data-do=snap]')) b.setAttribute('aria-pressed', this.pointer.snap);
    tell(this.pointer.snap ? 'snap-on' : 'snap-off');
  }

  // show brings a panel to the front.
  async show(pane, focus) {
    const before = root.dataset.pane;
    if (before === 'pages') this.top = scrollY; // on phones, panels take turns in the window
    root.dataset.pane = pane;
    for (const b of $$('[data-go]')) b.setAttribute('aria-pressed', b.dataset.go === pane);
    const tab = $('#tab-' + pane);
    if (tab)
      for (const t of $$('[role=tab]')) {
        t.setAttribute('aria-selected', t === tab);
        t.tabIndex = t === tab ? 0 : -1;
        $('#pane-' + t.id.slice(4)).hidden = t !== tab;
      }
    if (pane === 'pages' && before !== pane) this.view.refit();
    if (before !== pane) scrollTo(0, pane === 'pages' ? this.top : 0);
    if (pane === 'people' || pane === 'properties') await this.fill(pane);
    if (focus)
      ($$('#pane-' + pane + ' :is(select,input,button)').find(e => e.offsetParent) || $('#pane-' + pane)).focus();
  }
  tab(e, t) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[e.key] * (document.dir === 'rtl' ? -1 : 1),
      all = $$('[role=tab]');
    if (!way) return;
    e.preventDefault();
    const next = all[(all.indexOf(t) + way + all.length) % all.length];
    this.show(next.id.slice(4));
    next.focus();
  }
  jump(e) {
    const a = e.target.closest('a');
    if (!a) return;
    e.preventDefault();
    this.show('pages');
    this.view.go($$('#thumbs a').indexOf(a));
  }
  problems(all) {
    this.wrong.show(all);
  }
  peopleChanged() {
    this.fields.people();
    this.people?.render();
    this.view.redraw();
    this.properties?.show();
    this.tools();
  }

  // trouble shows a message that needs attention or a decision; '' removes it.
  trouble(text, ...buttons) {
    const t = $('#trouble');
    if (!text && t.hidden) return;
    t.hidden = !text;
    const p = document.createElement('p'),
      row = document.createElement('div');
    p.textContent = text;
    row.className = 'row';
    row.append(...buttons.filter(Boolean));
    t.replaceChildren(p, ...(row.children.length ? [row] : []));
    if (text) {
      const a = $('#alert');
      a.textContent = '';
      a.textContent = text;
    }
  }
}

new Editor().start();
