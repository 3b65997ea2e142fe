// Autosave. Sends all fields with the version they are based on. Other people's changes
// are never overwritten without asking, and unsaved changes are kept in the browser.
import { $, root, say, make, post } from './text.js';

const wait = 700,
  patience = [2000, 4000, 8000, 16000, 30000, 60000];

export class Saver {
  constructor(model, view, editor) {
    Object.assign(this, { model, view, editor });
    this.place = 'paraph.edit.' + root.dataset.id;
    this.base = new Map(model.fields); // the server's fields, as last seen
    this.tries = 0;
    this.line = Promise.resolve();
    model.addEventListener('change', () => this.later());
    addEventListener('online', () => this.dirty && this.later(0));
    addEventListener('pagehide', () => this.keep());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && this.keep());
    addEventListener('beforeunload', e => {
      if (this.dirty && !this.leaving) {
        e.preventDefault();
        e.returnValue = say('leave');
      }
    });
    // Finish saving before following a link.
    document.addEventListener('click', e => this.follow(e));
    this.restore();
  }

  show(text, bad) {
    const s = $('#saved');
    s.textContent = text;
    s.classList.toggle('bad', !!bad);
  }
  later(ms = wait) {
    this.dirty = true;
    if (this.stopped) return;
    clearTimeout(this.timer);
    if (!this.failing) this.show(say('unsaved'));
    this.timer = setTimeout(() => this.save(), ms);
  }
  // next queues requests, since each needs the version returned by the previous one.
  next(what) {
    const p = this.line.then(what, what);
    this.line = p.catch(() => {});
    return p;
  }
  save() {
    clearTimeout(this.timer);
    return this.next(() => this.now());
  }

  async now() {
    if (!this.dirty || this.stopped) return !this.dirty;
    const keys = this.model.all(),
      sent = new Map(keys.map(k => [k, this.model.get(k)])),
      fields = keys.map(k => this.model.wire(k));
    this.dirty = false;
    this.show(say('saving'));
    let answer;
    try {
      answer = await post('/fields', { version: this.model.version, fields: JSON.stringify(fields) });
    } catch {
      answer = { status: 0, body: {} };
    }
    if (answer.status === 200) return this.kept(keys, sent, answer.body);
    this.dirty = true;
    if (answer.status === 409 && answer.body.state) return (await this.overtaken(answer.body)) && this.now();
    this.failed(answer, keys);
    return false;
  }
  kept(keys, sent, body) {
    this.model.version = body.version;
    this.tries = 0;
    this.failing = false;
    this.editor.trouble('');
    keys.forEach((k, i) => this.model.ids.set(k, body.ids[i]));
    this.base = sent;
    for (const [i, f] of Object.entries(body.kept || {})) {
      const k = keys[i],
        was = sent.get(k),
        [, stored] = this.model.read(f);
      sent.set(k, stored);
      if (this.model.get(k) === was) this.model.put(k, stored);
    }
    this.at = new Date(body.at);
    if (!this.dirty) {
      this.clear();
      this.show(
        say('saved', { time: this.at.toLocaleTimeString(root.dataset.lang, { hour: '2-digit', minute: '2-digit' }) }),
      );
    }
    this.editor.problems(body.problems || []);
    return true;
  }

  // failed shows what went wrong and schedules another try where one can help.
  failed({ status, body }, keys) {
    this.keep();
    this.failing = true;
    if (status === 401 || status === 403) {
      this.stopped = true;
      this.show(say('refused', { why: '' }), true);
      const a = make('a', {
        className: 'btn',
        href: document.documentElement.dataset.root + 'signin?next=' + encodeURIComponent(location.pathname),
        textContent: say('sign-in'),
      });
      a.addEventListener('click', () => {
        this.leaving = true;
      });
      return this.editor.trouble(status === 401 ? say('signed-out') : body.message || say('signed-out'), a);
    }
    if (status === 409) {
      this.stopped = true;
      this.show('', true);
      return this.editor.trouble(say('gone', { why: body.message || '' }), this.reload());
    }
    if (status === 422 || status === 400 || status === 413) {
      const first = Object.entries(body.errors || {})[0],
        at = /^fields\.(\d+)\./.exec(first?.[0] || ''),
        key = at && keys[at[1]];
      this.show(say('refused', { why: '' }), true);
      const show = key && make('button', { type: 'button', className: 'btn', textContent: say('show') });
      if (key) {
        this.view.wrong.add(key);
        this.view.boxes.get(key)?.classList.add('wrong');
        show.addEventListener('click', () => {
          this.model.select([key]);
          this.view.focus(key);
          this.editor.show('properties');
        });
      }
      return this.editor.trouble(say('refused', { why: first ? first[1].join(' ') : body.message || '' }), show);
    }
    this.show(say('retry'), true);
    const now = make('button', { type: 'button', className: 'btn', textContent: say('now') });
    now.addEventListener('click', () => this.save());
    if (++this.tries > 1) this.editor.trouble(say('retry'), now);
    this.timer = setTimeout(() => this.save(), patience[Math.min(this.tries, patience.length) - 1]);
  }
  reload() {
    const b = make('button', { type: 'button', className: 'btn', textContent: say('reload') });
    b.addEventListener('click', () => {
      this.keep();
      this.leaving = true;
      location.reload();
    });
    return b;
  }

  // overtaken merges someone else's changes if that discards none of ours, and reports
  // whether to continue. Otherwise it asks the user.
  async overtaken(answer) {
    const part = await import('./conflict.js').catch(() => {
      this.stopped = true;
      this.keep();
      this.editor.trouble(say('gone', { why: '' }), this.reload());
    });
    return part?.merge(this, answer);
  }

  // recipients changes recipients. Unsaved fields are saved first, so that the answer
  // includes them.
  recipients(values) {
    return this.next(async () => {
      if (this.dirty && !(await this.now())) return { ok: false };
      for (let i = 0; i < 2; i++) {
        let answer;
        try {
          answer = await post('/recipients', { version: this.model.version, ...values });
        } catch {
          return { ok: false };
        }
        if (answer.status === 409 && answer.body.state) {
          await this.overtaken(answer.body);
          if (this.stopped) return { ok: false };
          continue;
        }
        if (answer.status === 401) {
          this.failed(answer, []);
          return { ok: false, message: say('signed-out') };
        }
        if (answer.status !== 200) return { ok: false, ...answer.body };
        this.settle(answer.body.state);
        return { ok: true, added: answer.body.new };
      }
      return { ok: false };
    });
  }
  // settle applies an answer that includes all local changes, and drops fields of removed recipients.
  settle(state) {
    const dirty = this.dirty;
    this.model.adopt(state);
    this.editor.problems(state.problems || []);
    const gone = [...this.model.fields].filter(([, f]) => !this.model.fits(f)).map(([k]) => k);
    for (const k of gone) {
      this.model.put(k, null);
      this.base.delete(k);
    }
    this.editor.peopleChanged();
    this.dirty = dirty;
  }

  // keep stores unsaved changes and the undo history until the tab is closed.
  keep() {
    const name = k => this.model.ids.get(k) || k,
      named = set => [...set].map(([k, f]) => [name(k), f]);
    const steps = list => list.map(s => s.changes.map(([k, a, b]) => [name(k), a, b]));
    const kept = { version: this.model.version, done: steps(this.model.done), undone: steps(this.model.undone) };
    if (this.dirty) {
      kept.fields = named(this.model.fields);
      kept.base = named(this.base);
    }
    for (let n = 0; n < 8; n++) {
      try {
        return sessionStorage.setItem(this.place, JSON.stringify(kept));
      } catch {
        kept.done = kept.done.slice(Math.ceil(kept.done.length / 2));
        kept.undone = [];
      }
    }
  }
  clear() {
    try {
      sessionStorage.removeItem(this.place);
    } catch {
      /* nothing is kept then */
    }
  }
  restore() {
    let kept;
    try {
      kept = JSON.parse(sessionStorage.getItem(this.place));
    } catch {
      kept = null;
    }
    if (!kept) return;
    const steps = list => list.map(changes => ({ kind: '', at: 0, changes }));
    if (kept.version === this.model.version) {
      this.model.done = steps(kept.done);
      this.model.undone = steps(kept.undone);
    }
    if (!kept.fields) return;
    import('./left.js').then(part => part.offer(this, kept)).catch(() => this.editor.trouble(say('failed')));
  }

  follow(e) {
    const a = e.target.closest('a[href]');
    if (
      !a ||
      e.defaultPrevented ||
      !this.dirty ||
      this.stopped ||
      e.ctrlKey ||
      e.metaKey ||
      a.getAttribute('href').startsWith('#')
    )
      return;
    e.preventDefault();
    // Also save changes made while the first request was in flight.
    const go = ok => (ok && this.dirty ? this.save().then(go) : ok && ((this.leaving = true), location.assign(a.href)));
    this.save().then(go);
  }
}
