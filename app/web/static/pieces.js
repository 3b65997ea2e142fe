// Uploads several files at a time in pieces, so that a dropped connection costs at most
// one piece.
import { $, $$, form, tell, warn } from './draft.js';
import { zone, input, say, page, pairs } from './filepage.js';
import { refresh, change } from './filelist.js';
const list = $('#uploads'),
  items = page.items,
  number = new Intl.NumberFormat(zone.dataset.lang, { maximumFractionDigits: 1 });
const bytes = n => (n >= 1e6 ? number.format(n / 1e6) + ' MB' : Math.ceil(n / 1e3) + ' KB');
const PIECE = 8 << 20,
  AT_ONCE = 3,
  TRIES = 6;
let making = null,
  order = 0;

class Refused extends Error {
  constructor(status, answer) {
    super(answer.message);
    this.status = status;
    this.answer = answer;
  }
}

// ask sends one request. Its progress goes to the item, which can abort it. It rejects
// with a Refused if the server says no, with an Error if there is no answer.
function ask(item, path, body, headers = {}) {
  return new Promise((done, fail) => {
    const x = new XMLHttpRequest();
    if (item) item.request = x;
    x.open('POST', path);
    x.setRequestHeader('X-Requested-With', 'fetch');
    for (const name in headers) x.setRequestHeader(name, headers[name]);
    if (item) x.upload.addEventListener('progress', e => item.sent(e.loaded));
    x.addEventListener('error', () => fail(new Error('no answer')));
    x.addEventListener('abort', () => fail(new DOMException('', 'AbortError')));
    x.addEventListener('load', () => {
      let answer = {};
      try {
        answer = JSON.parse(x.responseText || '{}');
      } catch {
        return fail(new Error('no answer of ours'));
      }
      if (x.status < 300) done(answer);
      else fail(new Refused(x.status, answer));
    });
    x.send(body);
  });
}

// draft creates the document when the first file is chosen.
function draft(name) {
  if (page.base) return Promise.resolve();
  making ??= ask(
    null,
    form.action,
    pairs({ title: form.elements.title.value.trim() || name.replace(/\.[^.]*$/, '').replaceAll('_', ' ') }),
  )
    .then(answer => {
      page.base = answer.base;
      form.action = page.base + '/files';
      history.replaceState(null, '', page.base + '/files');
    })
    .catch(e => {
      making = null;
      throw e;
    });
  return making;
}

let sorting = Promise.resolve();

class Item {
  constructor(file) {
    Object.assign(this, { file, order: order++, received: 0, said: -1, tries: 0, state: 'waiting' });
    this.li = $('#row').content.cloneNode(true).querySelector('li');
    $('h4', this.li).textContent = file.name;
    $('progress', this.li).setAttribute('aria-label', say('of', { name: file.name }));
    const cancel = $('.cancel', this.li),
      retry = $('.retry', this.li),
      unlock = $('.unlock', this.li);
    cancel.setAttribute('aria-label', say('cancel.of', { name: file.name }));
    retry.setAttribute('aria-label', say('retry.of', { name: file.name }));
    cancel.addEventListener('click', () => this.cancel());
    retry.addEventListener('click', () => {
      this.tries = 0;
      this.show('waiting', say('waiting'));
      next();
    });
    const password = $('input', unlock),
      open = $('button', unlock);
    open.addEventListener('click', () => {
      if (!password.value) return password.focus();
      this.password = password.value;
      this.show('waiting', say('waiting'));
      next();
    });
    password.addEventListener('keydown', e => {
      if (e.key === 'Enter') {
        e.preventDefault();
        open.click();
      }
    });
    $('.copy button', this.li).addEventListener('click', () => {
      this.flatten = 'yes';
      this.show('waiting', say('waiting'));
      next();
    });
    list.append(this.li);
    this.show('waiting', say('waiting'));
  }
  show(state, text) {
    this.state = state;
    this.li.dataset.state = state;
    this.li.classList.toggle('failed', state === 'failed' || state === 'locked');
    $('.state', this.li).textContent = text;
    $('.retry', this.li).hidden = state !== 'failed' || this.final;
    $('.unlock', this.li).hidden = state !== 'locked';
    $('.copy', this.li).hidden = state !== 'failed' || !this.fixed;
  }
  // sent updates the progress of the current piece.
  sent(loaded) {
    const at = Math.min(this.received + loaded, this.file.size),
      percent = Math.floor((100 * at) / this.file.size),
      now = performance.now();
    if (this.since === undefined || at < this.from) {
      this.since = now;
      this.from = at;
    }
    const rate = (at - this.from) / Math.max(1, now - this.since),
      left = rate > 0 ? Math.ceil((this.file.size - at) / rate / 1000) : 0;
    let text = say('progress', { percent, done: bytes(at), size: bytes(this.file.size) });
    if (now - this.since > 1000 && left)
      text +=
        ' · ' + (left < 90 ? say('left.seconds', { n: left }) : say('left.minutes', { n: Math.round(left / 60) }));
    $('progress', this.li).value = at / this.file.size;
    this.show('uploading', text);
    for (const mark of [0, 50, 100])
      if (percent >= mark && this.said < mark) {
        this.said = mark;
        tell(say('said', { name: this.file.name, percent: mark }));
      }
  }
  async run() {
    try {
      await draft(this.file.name);
      if (!this.id) await this.begin();
      while (this.received < this.file.size) await this.piece();
      await this.finish();
    } catch (e) {
      if (!this.gone) this.failed(e);
    }
  }
  take(answer) {
    this.id = answer.id;
    this.received = answer.received;
  }
  async begin() {
    this.take(
      await this.insist(() => ask(this, page.base + '/uploads', pairs({ name: this.file.name, size: this.file.size }))),
    );
    $('#files [data-upload="' + this.id + '"]')?.remove();
    this.since = undefined;
    this.sent(0);
  }
  async piece() {
    const body = () =>
      ask(
        this,
        page.base + '/uploads/' + this.id + '?offset=' + this.received,
        this.file.slice(this.received, this.received + PIECE),
        { 'X-CSRF-Token': form.elements.csrf.value, 'Content-Type': 'application/octet-stream' },
      );
    this.take(await this.insist(body));
    this.sent(0);
  }
  async finish() {
    const converts = !/\.pdf$/i.test(this.file.name);
    $('progress', this.li).removeAttribute('value');
    this.show(converts ? 'converting' : 'checking', say(converts ? 'converting' : 'checking'));
    const answer = await this.insist(() =>
      ask(
        this,
        page.base + '/uploads/' + this.id + '/finish',
        pairs({ ['password-' + this.id]: this.password || '', ['flatten-' + this.id]: this.flatten || '' }),
      ),
    );
    this.leave();
    // One at a time: two uploads finishing together would not see each other's file.
    await (sorting = sorting
      .catch(() => {})
      .then(refresh)
      .then(() => this.sort(answer.file)));
    tell(say('done', { name: this.file.name }));
  }
  // sort moves the file to the position in which it was chosen, since smaller files
  // finish first.
  async sort(id) {
    ready.push({ id, order: this.order });
    const places = $$('#files [data-file]').map(li => li.dataset.file),
      at = places.indexOf(id);
    const of = test =>
      ready
        .filter(r => test(r.order))
        .map(r => places.indexOf(r.id))
        .filter(i => i >= 0);
    const later = Math.min(...of(o => o > this.order)),
      earlier = Math.max(...of(o => o < this.order));
    const to = later < at ? later : earlier > at ? earlier : at;
    if (to !== at) await change(page.base + '/files/' + id, pairs({ do: 'move', position: to + 1 }));
  }
  // insist retries when the connection drops. If the offset is wrong, the server's answer
  // says where to continue.
  async insist(request) {
    for (;;) {
      if (this.gone) throw new DOMException('', 'AbortError');
      try {
        const answer = await request();
        this.tries = 0;
        return answer;
      } catch (e) {
        if (e.name === 'AbortError' || this.gone) throw e;
        if (e.status === 409 && e.answer.id) return e.answer;
        const retriable = !e.status || (e.status >= 500 && e.status !== 507) || e.status === 400 || e.status === 429;
        if (!retriable || ++this.tries > TRIES) throw e;
        await this.pause();
        if (this.id && this.received < this.file.size) {
          const now = await fetch(page.base + '/uploads/' + this.id, {
            headers: { 'X-Requested-With': 'fetch' },
            credentials: 'same-origin',
          }).catch(() => null);
          if (now?.ok) {
            const answer = await now.json();
            if (answer.received !== this.received) return answer;
          }
        }
      }
    }
  }
  async pause() {
    if (!navigator.onLine) {
      this.show('paused', say('lost'));
      warn(say('lost'));
      await new Promise(done => addEventListener('online', done, { once: true }));
      this.tries = 0;
      return;
    }
    for (let left = 2 ** (this.tries - 1); left > 0 && !this.gone; left--) {
      this.show('paused', say('again', { n: left }));
      await new Promise(done => setTimeout(done, 1000));
    }
  }
  failed(e) {
    const locked = e.answer?.locked;
    this.fixed = e.answer?.fixed;
    this.final = e.status >= 400 && e.status < 500 && e.status !== 401 && e.status !== 429;
    const why =
      locked && !this.password
        ? say('locked')
        : e.status === 401
          ? say('signedout')
          : e.message && e.status
            ? e.message
            : say('gaveup');
    $('progress', this.li).value = this.received / this.file.size;
    this.show(locked ? 'locked' : 'failed', why);
    if (this.final && !locked && !this.fixed) this.id = undefined;
    warn(say('bad', { name: this.file.name, why }));
    if (!locked) return;
    const field = $('.unlock input', this.li),
      at = document.activeElement;
    field.value = '';
    if (at === document.body || at === input || this.li.contains(at)) field.focus();
  }
  cancel() {
    this.gone = true;
    this.request?.abort();
    // An upload that had just completed is already in the list.
    if (this.id) ask(null, page.base + '/uploads/' + this.id + '/cancel', pairs({})).catch(() => refresh());
    this.leave();
    tell(say('cancelled', { name: this.file.name }));
    input.focus();
    next();
  }
  leave() {
    this.gone = true;
    this.li.remove();
    items.delete(this);
  }
}
const ready = [];

// next starts as many uploads as may run at once.
function next() {
  const running = [...items].filter(i => i.busy).length;
  for (const item of [...items].filter(i => i.state === 'waiting' && !i.busy).slice(0, AT_ONCE - running)) {
    item.busy = true;
    item.run().finally(() => {
      item.busy = false;
      next();
    });
  }
  if (!page.next || [...items].some(i => i.busy)) return;
  // The form was submitted meanwhile. It stays if a file needs attention.
  const button = page.next;
  page.next = null;
  button.removeAttribute('aria-busy');
  if (!items.size) form.requestSubmit(button);
}

export function add(files) {
  for (const file of files) {
    const same = e => e.dataset.name === file.name && +e.dataset.size === file.size;
    if ([...items].some(i => i.file.name === file.name && i.file.size === file.size)) {
      warn(say('running', { name: file.name }));
      continue;
    }
    if (!file.size) {
      warn(say('empty', { name: file.name }));
      continue;
    }
    const item = new Item(file);
    items.add(item);
    if (file.size > +zone.dataset.limit) {
      item.final = true;
      item.show('failed', say('large', { name: file.name }));
      warn(say('large', { name: file.name }));
      continue;
    }
    if ($$('#files [data-file]').some(same)) warn(say('twice', { name: file.name }));
  }
  input.value = '';
  next();
}

addEventListener('beforeunload', e => {
  if ([...items].some(i => i.busy)) e.preventDefault();
});
