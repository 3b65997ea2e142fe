// The signing page. Everything here is also possible without scripts: this leads to
// missing fields, saves drafts, and adds drawing.
const $ = (s, in_ = document) => in_.querySelector(s),
  $$ = (s, in_ = document) => [...in_.querySelectorAll(s)];
const form = $('#sign'),
  words = JSON.parse(form.dataset.words),
  plural = new Intl.PluralRules(form.dataset.lang);
const say = (key, values = {}) => {
  const forms = words[key] || {},
    text = forms[plural.select(values.n ?? 0)] || forms.other || key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
};
const tell = text => {
  $('#status').textContent = '';
  $('#status').textContent = text;
};
const warn = text => {
  $('#alert').textContent = '';
  $('#alert').textContent = text;
};
const post = (path, body) =>
  fetch(form.dataset.base + path, {
    method: 'POST',
    body,
    headers: { 'X-Requested-With': 'fetch' },
    credentials: 'same-origin',
  });

// The fields to fill in, in page order.
const required = () => {
  const groups = new Set();
  return $$('[data-req],[data-least]:enabled', form).filter(e => {
    const g = group(e);
    return !g || (!groups.has(g) && groups.add(g));
  });
};
// Buttons of one value are one, but browsers mark only one of those that share a name: the others lose theirs,
// and follow the first.
const radios = e => e.name || e.dataset.name || '';
const leaders = new Map(),
  twins = new Map();
for (const e of $$('input[type=radio]', form)) {
  const leader = leaders.get(e.name + ' ' + e.value);
  if (leader) twins.set(e, leader);
  else leaders.set(e.name + ' ' + e.value, e);
}
for (const [e, leader] of twins) {
  const { checked } = e;
  e.dataset.name = e.name;
  e.removeAttribute('name');
  if (checked) leader.checked = true;
}
function pair(chosen) {
  if (twins.has(chosen)) twins.get(chosen).checked = true;
  for (const [e, leader] of twins) e.checked = leader.checked;
}
pair();
for (const type of ['input', 'change']) form.addEventListener(type, e => pair(e.target));

// A group counts as one: a radio group once, a checkbox group up to its minimum.
const group = e => (e.type === 'radio' ? radios(e) : e.dataset.least && !e.required ? 'boxes ' + e.dataset.group : '');
const ticked = e => {
  const all = $$('[data-least]:enabled', form).filter(o => o.dataset.group === e.dataset.group);
  return all.filter(o => o.checked).length >= Math.min(e.dataset.least, all.length);
};
const filled = e =>
  e.dataset.mark
    ? marks[e.dataset.mark]?.done
    : e.type === 'checkbox'
      ? group(e)
        ? ticked(e)
        : e.checked
      : e.type === 'radio'
        ? $$('input[type=radio]', form).some(o => radios(o) === radios(e) && o.checked)
        : !!e.value.trim();
const missing = () => required().filter(e => !filled(e));
const nameOf = e =>
  (e.dataset.mark
    ? $('#' + e.id + '-label')
    : e.id === 'consent'
      ? $('#before')
      : $('label[for="' + e.id + '"]')
  )?.textContent
    .replace('*', '')
    .trim() || '';

// Conditional fields: hidden ones are not submitted. The server applies the same rules
// to what it receives.
const depending = $$('[data-when]', form).map(f => ({ f, ...JSON.parse(f.dataset.when) }));
const valueOf = id => {
  const f = document.getElementById(id),
    e = f && !f.hidden && $('input,textarea,select,.fixed', f);
  return !e
    ? ''
    : e.type === 'checkbox' || e.type === 'radio'
      ? e.checked
        ? 'true'
        : ''
      : e.dataset.read && e.value && !/^\d+$/.test(e.value)
        ? e.dataset.read // numbers and dates are typed as the reader's language writes them
        : e.value.trim();
};
function holds(t) {
  const at = t.of.findIndex(valueOf),
    v = at < 0 ? '' : t.names ? t.names[at] : valueOf(t.of[at]);
  if (t.op === 'filled' || t.op === 'empty') return !v === (t.op === 'empty');
  if (t.op === 'contains') return v.includes(t.value);
  const [a, b] = t.number ? [Number(v), Number(t.value)] : [v, t.value],
    known = v !== '' && a === a && b === b;
  if (t.op === 'not_equals') return !known || a !== b;
  return known && (t.op === 'greater' ? a > b : t.op === 'less' ? a < b : a === b);
}
function depend() {
  for (let i = 0, again = true; again && i <= depending.length; i++) {
    again = false;
    for (const c of depending) {
      const met = c.any ? c.when.some(holds) : c.when.every(holds),
        hidden = c.then === 'show' && !met;
      again ||= c.f.hidden !== hidden;
      c.f.hidden = hidden;
      c.needed = !hidden && (c.required || (c.then === 'require' && met));
    }
  }
  for (const { f, needed } of depending) {
    const e = $('input,textarea,select,button[data-mark]', f),
      star = $('.req', f),
      of = e && $('[data-of="' + e.id + '"]', form);
    $('#n' + f.dataset.n).hidden = f.hidden;
    if (of) of.hidden = of.previousElementSibling.hidden = f.hidden;
    if (!e) continue;
    e.disabled = f.hidden;
    e.toggleAttribute('data-req', needed);
    if (!e.dataset.mark) e.required = needed;
    if (star) star.hidden = !needed && !e.dataset.mark;
  }
}

// agree shows that consent is missing, or no longer.
function agree(why) {
  const e = $('#consent'),
    p = $('#consent-error');
  p.textContent = why;
  p.hidden = !why;
  p.parentElement.classList.toggle('bad', !!why);
  why ? e.setAttribute('aria-invalid', 'true') : e.removeAttribute('aria-invalid');
}

function count() {
  depend();
  const all = required(),
    left = missing();
  $('#left').textContent = all.length ? say('done', { done: all.length - left.length, n: all.length }) : '';
  $('#tally').textContent = all.length ? all.length - left.length + '/' + all.length : '';
  const [next, end] = [$('#next'), $('#end')],
    held = !left.length && document.activeElement === next;
  next.hidden = !left.length;
  end.hidden = !!left.length;
  if (left.length) next.setAttribute('href', '#' + left[0].id);
  if (held) end.focus();
  if (all.length)
    document.title =
      document.title.replace(/ \([^()]*\)$/, '') +
      ' (' +
      say('progress', { done: all.length - left.length, n: all.length }) +
      ')';
  for (const f of $$('.f', form)) {
    const e = $('input,textarea,select,button[data-mark]', f);
    if (!e) continue;
    f.classList.toggle('done', !!filled(e));
    if (f.dataset.empty && filled(e)) {
      delete f.dataset.empty;
      fault(f, e, '');
    }
  }
  if ($('#consent')?.checked) agree('');
  for (const d of $$('[data-of]', form)) {
    const e = document.getElementById(d.dataset.of);
    if (!e) continue;
    d.textContent = e.dataset.mark
      ? marks[e.dataset.mark]?.done
        ? say('mark')
        : '–'
      : e.type === 'checkbox' || e.type === 'radio'
        ? say(e.checked ? 'yes' : 'no')
        : e.type === 'file'
          ? [...e.files].map(f => f.name).join(', ') || '–'
          : e.dataset.shown || e.value || '–';
  }
}
// fault shows an error at a field, or removes it.
function fault(f, e, why) {
  const notes = $('.notes', f);
  let p = $('.error', notes);
  if (why) {
    p ||= notes.appendChild(
      Object.assign(document.createElement('p'), { className: 'error', id: e.id + '-error', role: 'alert' }),
    );
    if (p.textContent !== why) p.textContent = why;
  } else p?.remove();
  f.classList.toggle('bad', !!why);
  why ? e.setAttribute('aria-invalid', 'true') : e.removeAttribute('aria-invalid');
  const ids = [...(e.dataset.mark ? [{ id: e.id + '-label' }] : []), ...notes.children].map(n => n.id).join(' ');
  ids ? e.setAttribute('aria-describedby', ids) : e.removeAttribute('aria-describedby');
}
function go(e) {
  e.scrollIntoView({ block: 'center' });
  e.focus({ preventScroll: true });
}
$('#next').addEventListener('click', e => {
  e.preventDefault();
  const [first] = missing();
  if (first) go(first);
});

// Enter moves to the next field, so that nobody signs by accident.
form.addEventListener('keydown', e => {
  if (e.key !== 'Enter' || e.target.tagName !== 'INPUT' || e.isComposing) return;
  e.preventDefault();
  const box = e.target.closest('dialog');
  if (box) return void $('[data-adopt]', box).click();
  if (e.target.type === 'checkbox') e.target.click();
  const all = $$('input:not([type=hidden]),textarea,select:not(#zoom),button[data-mark]', form).filter(
    x => x.offsetParent && !x.closest('dialog'),
  );
  const next = all[all.indexOf(e.target) + 1];
  next ? go(next) : $('#finish').focus();
});

// Autosave, so that signing can continue on another device.
let timer,
  storing,
  dirty = false,
  saving = false;
const saved = (key, now) => {
  $('#saved').textContent = key ? say(key) : '';
  $('#saved').classList.toggle('warns', key === 'unsaved' || key === 'offline');
  if (now) tell(say(key));
};
const computes = $('.page output data', form);
function later(ms = computes ? 400 : 900) {
  dirty = true;
  clearTimeout(timer);
  timer = setTimeout(save, ms);
}
const save = () => (saving ? storing : (storing = store()));
async function store() {
  if (!dirty || leaving) return;
  saving = true;
  dirty = false;
  saved('saving');
  const data = new FormData(form);
  for (const [k, v] of [...data]) if (v instanceof File) data.delete(k);
  // A name typed in the dialog isn't a signature until it is adopted.
  for (const kind in marks) if (!marks[kind].done) data.delete(kind + '.text');
  data.set('do', 'save');
  try {
    const answer = await post('', data);
    if (answer.ok) {
      saved('saved');
      note(answer.status === 200 ? await answer.json() : {}, data);
    } else if (answer.status === 409) leaving || location.assign(form.dataset.base);
    else throw new Error(answer.status);
  } catch {
    dirty = true;
    saved(navigator.onLine ? 'unsaved' : 'offline');
    timer = setTimeout(save, 8000);
  }
  saving = false;
  if (dirty && navigator.onLine) later();
}
// understand shows how a number or a date was understood, unless something else was typed since.
function understand(f, { value, shown, understood }, typed) {
  const e = $('input', f),
    p = $('.read', f);
  if (!e || typed.get(e.name) !== e.value) return;
  e.dataset.read = value;
  e.dataset.shown = shown;
  delete e.dataset.unread;
  p.textContent = shown && say('understood', { value: understood });
  p.hidden = !shown;
  $('[name^="understood."]', f).value = understood; // which the server wants to be sure of
}
// note shows the server's messages about values, except for the field being edited, unless its space is full.
// Errors from an attempt to finish stay until the field is filled in.
function note({ errors = {}, values = {}, read = {}, full = [] }, typed) {
  for (const id in values) {
    const e = $('#' + id + ' data');
    if (e.textContent !== values[id].shown) e.textContent = values[id].shown;
    e.value = values[id].value;
  }
  for (const id in read) understand($('#' + id), read[id], typed);
  count();
  for (const f of $$('.page .f', form)) {
    const e = $('input,textarea,select,output', f),
      notes = $('.notes', f),
      why = errors[f.id];
    const p = $('.error', notes);
    const typing = f.contains(document.activeElement) && e?.type !== 'checkbox';
    if (!e || (why && !p && typing && !full.includes(f.id))) continue;
    if (why || (p && (p.role || filled(e)))) fault(f, e, why);
  }
}
addEventListener('online', () => dirty && save());
addEventListener('offline', () => saved('offline', true));
for (const [type, ms] of [['input'], ['change', 200]])
  form.addEventListener(type, e => {
    if (!e.target.closest('dialog')) {
      if (type === 'input' && 'read' in e.target.dataset) {
        e.target.dataset.shown = '';
        e.target.dataset.unread = '';
        $('#' + e.target.id + '-read').hidden = true;
      }
      count();
      later(ms);
    }
  });

// Boxes of one name are one.
form.addEventListener('change', e => {
  if (e.target.type !== 'checkbox' || !e.target.name) return;
  for (const o of $$('input', form)) if (o.name === e.target.name) o.checked = e.target.checked;
});

// Seen: reported once somebody interacts with a visible page.
const seen = () => {
  if (document.visibilityState !== 'visible') return;
  for (const g of gestures) removeEventListener(g, seen, true);
  const data = new FormData();
  data.set('csrf', form.elements.csrf.value);
  post('/viewed', data).catch(watch);
  for (const i of $$('.style img', form)) i.loading = 'eager'; // the typed faces, before the dialog opens
};
const gestures = ['pointerdown', 'keydown', 'wheel', 'touchstart'];
const watch = () => {
  for (const g of gestures) addEventListener(g, seen, { capture: true, passive: true });
};
watch();

// lacks shows what is missing where it is: the browser's own message would be in its language, and
// might be covered by the header.
form.noValidate = true;
function lacks(e, n) {
  const why = say('missing', { n, name: nameOf(e) }),
    f = e.closest('.f');
  if (e.id === 'consent') agree(say('consent'));
  else if (f && $('.notes', f)) {
    f.dataset.empty = 'yes';
    fault(f, e, why);
  } else warn(why);
  go(e);
}

// unread lists the numbers and dates that were typed so lately that nobody has seen how they were understood.
const unread = () => $$('[data-unread]:enabled', form).filter(e => e.value.trim());
// settle shows that before anybody signs: what is drawn as it was typed may be signed at once, else they look first.
async function settle(by) {
  const typed = unread();
  await save(); // one may be under way
  clearTimeout(timer);
  if (dirty) await save();
  const strange = typed.find(e => e.dataset.shown !== e.value.trim());
  if (!strange) return form.requestSubmit(by);
  go(strange);
  tell($('.notes', strange.closest('.f')).textContent.trim());
}

let leaving = false,
  stay = () => {};
form.addEventListener('submit', e => {
  if (leaving) return void e.preventDefault();
  if (e.submitter?.value === 'finish') {
    const left = missing();
    if (left.length) {
      e.preventDefault();
      return lacks(left[0], left.length);
    }
    const wrong = $$('.page :is(input,textarea,select):enabled', form).find(i => i.willValidate && !i.validity.valid),
      at = wrong?.closest('.f');
    if (wrong) {
      e.preventDefault();
      fault(at, wrong, $('.error', at)?.textContent || wrong.validationMessage);
      return go(wrong);
    }
    if (unread().length) {
      e.preventDefault();
      return settle(e.submitter);
    }
    const doing = say($('[data-mark]') ? 'signing' : 'saving'),
      label = e.submitter.lastChild,
      was = label.textContent,
      busy = on => {
        on ? e.submitter.setAttribute('aria-busy', 'true') : e.submitter.removeAttribute('aria-busy');
        label.textContent = on ? doing : was;
      };
    busy(true);
    tell(doing + ' ' + say('wait'));
    stay = () => {
      leaving = false;
      busy(false);
      tell('');
    };
    setTimeout(stay, 60_000); // not every browser reports that loading was stopped
  } else
    stay = () => {
      leaving = false;
    };
  leaving = true;
});
window.navigation?.addEventListener('navigateerror', () => stay());
addEventListener('pageshow', e => {
  if (e.persisted) location.reload();
});

// The signature: turns the card of the script-free page into a dialog.
class Mark {
  constructor(card) {
    this.kind = card.dataset.kind;
    this.type = 'typed';
    this.hidden = ['type', 'data', 'ink'].map(n => form.elements[this.kind + '.' + n]);
    this.text = form.elements[this.kind + '.text'];
    this.file = form.elements[this.kind + '.file'];
    const dialog = (this.dialog = document.createElement('dialog'));
    dialog.setAttribute('aria-labelledby', card.getAttribute('aria-labelledby'));
    dialog.id = card.id;
    dialog.className = 'mark';
    dialog.append(...card.childNodes);
    card.replaceWith(dialog);
    this.error = $('.mark-error', dialog);
    this.canvas = $('canvas', dialog);
    this.shown = $('.upload .shown', dialog);
    this.own = $('.saved img', dialog);
    $('.saved label', dialog)?.remove();
    for (const h of this.hidden) h.disabled = false;
    for (const e of $$('.tabs,.actions', dialog)) e.hidden = false;
    const more = $('.upload details', dialog);
    more?.replaceWith(...[...more.children].slice(1));
    this.tabs = $$('[role=tab]', dialog);
    this.tabs.forEach((t, i) => {
      $('#' + t.getAttribute('aria-controls')).setAttribute('role', 'tabpanel');
      $('#' + t.getAttribute('aria-controls')).setAttribute('aria-labelledby', t.id);
      t.addEventListener('click', () => this.pick(t));
      t.addEventListener('keydown', e => {
        const way = { ArrowRight: 1, ArrowLeft: -1 }[e.key] * (document.dir === 'rtl' ? -1 : 1);
        if (way) {
          const n = this.tabs[(i + way + this.tabs.length) % this.tabs.length];
          this.pick(n);
          n.focus();
        }
      });
    });
    this.text?.addEventListener('input', () => this.preview());
    this.paper = $('[data-paper]', dialog);
    this.crop = $('.crop', dialog);
    this.cuts = $$('[data-crop]', dialog);
    this.file?.addEventListener('change', () => {
      for (const c of this.cuts) c.value = 0;
    });
    for (const e of [this.file, this.paper, ...this.cuts])
      e?.addEventListener('change', () => {
        this.looking = this.look();
      });
    for (const e of $$('[name$=".pen"]', dialog)) e.addEventListener('change', () => this.pad?.ink(this.pen()));
    $('[data-adopt]', dialog).addEventListener('click', async () => {
      if (this.type === 'image') await this.looking; // still preparing the picture
      if (dialog.open) this.adopt();
    });
    this.end = $('.end', dialog);
    this.agrees = $('input', this.end);
    $('[data-finish]', dialog).addEventListener('click', async () => {
      if (this.type === 'image') await this.looking;
      const asks = this.agrees && !this.agrees.closest('label').hidden && !this.agrees.checked;
      this.disagrees(asks ? say('consent') : '');
      if (asks) return this.agrees.focus();
      if (!dialog.open) return;
      this.adopt();
      if (dialog.open) return; // something is missing
      if (this.agrees?.checked) $('#consent').checked = true;
      count();
      form.requestSubmit($('#finish'));
    });
    dialog.addEventListener('keydown', e => {
      if (e.key !== 'z' || !(e.ctrlKey || e.metaKey) || this.type !== 'drawn' || !this.pad) return;
      e.preventDefault();
      this.pad.undo();
    });
    $('[data-cancel]', dialog).addEventListener('click', () => dialog.close());
    // The event fires a frame late, after the browser has restored focus (except in browsers
    // that don't focus clicked buttons). Don't scroll under a pointer that is already
    // heading for the next button.
    dialog.addEventListener('close', () => {
      this.fail('');
      if (document.activeElement === document.body) this.from?.focus({ preventScroll: true });
    });
    this.pick(this.tabs[0]);
    this.restore();
  }
  pen() {
    return $('[name$=".pen"]:checked', this.dialog).value;
  }
  restore() {
    const [type, data, ink] = this.hidden.map(h => h.value);
    if (type === 'drawn' && data.startsWith('[')) this.draws(data, ink);
    else if (type === 'saved' && this.own) this.keep(type, '', picture(this.own.src));
    else if (type && data)
      this.keep(
        type,
        data,
        picture(
          data.startsWith('data:')
            ? data
            : 'data:image/' + (data.startsWith('/9j') ? 'jpeg' : 'png') + ';base64,' + data,
        ),
      );
    else if (this.kind === 'signature' && this.text?.value) this.keep('typed', '', this.typed());
  }
  open(from) {
    this.from = from;
    this.last();
    if (this.text?.value === '') {
      this.text.value = form.dataset.name;
      this.preview();
    }
    this.dialog.showModal();
    import(form.dataset.pad).catch(() => {}); // preload for drawing
    (this.type === 'typed' ? this.text : this.tabs.find(t => t.dataset.type === this.type)).focus();
    if (this.type === 'drawn') this.draw();
    if (this.type === 'phone') this.phone();
  }
  disagrees(why) {
    const p = $('.error', this.end);
    if (p) {
      p.textContent = why;
      p.hidden = !why;
    }
  }
  // last offers to finish at once if this mark is all that is missing, besides consent.
  last() {
    const consent = $('#consent'),
      rest = missing().filter(e => e !== consent && e.dataset.mark !== this.kind);
    const empty = $$('.page .f:not([hidden]):not(.k-fixed,.k-mark)', form).some(
      f => !filled($('input,textarea,select', f)),
    );
    const ends = !rest.length && !empty;
    this.end.hidden = $('[data-finish]', this.dialog).hidden = !ends;
    this.disagrees('');
    if (this.agrees) {
      this.agrees.checked = false;
      this.agrees.closest('label').hidden = consent.checked;
    }
    const adopt = $('[data-adopt]', this.dialog);
    adopt.classList.toggle('primary', !ends);
    adopt.textContent = say(ends ? 'keep' : 'adopt');
  }
  pick(tab) {
    for (const t of this.tabs) {
      t.setAttribute('aria-selected', t === tab);
      t.tabIndex = t === tab ? 0 : -1;
      $('#' + t.getAttribute('aria-controls')).hidden = t !== tab;
    }
    this.type = tab.dataset.type;
    this.fail('');
    for (const e of $$('.actions,.end', this.dialog)) e.classList.toggle('phoning', this.type === 'phone');
    if (this.type === 'drawn' && this.dialog.open) this.draw();
    if (this.type === 'phone') this.phone();
  }
  // phone waits for a signature drawn on a phone.
  async phone() {
    const panel = $('.phone', this.dialog),
      state = text => {
        $('.state', panel).textContent = text;
      };
    const waiting = () => this.dialog.open && this.type === 'phone';
    if (this.calling) return;
    this.calling = true;
    try {
      const data = new FormData();
      data.set('csrf', form.elements.csrf.value);
      data.set('kind', this.kind);
      const { code, address, symbol, seconds } = await (await post('/pad', data)).json();
      $('.symbol', panel).innerHTML = symbol;
      $('.address', panel).textContent = address;
      state(say('phone.wait'));
      for (const end = Date.now() + seconds * 1000; waiting() && Date.now() < end;) {
        await new Promise(done => setTimeout(done, 1500));
        const answer = await fetch(form.dataset.base + '/pad/' + code, { headers: { 'X-Requested-With': 'fetch' } });
        if (!waiting()) break; // another way was chosen meanwhile
        if (answer.status === 204) continue;
        if (!answer.ok) break;
        const strokes = (await answer.json()).data;
        this.draws(strokes);
        this.pick(this.tabs[0]);
        this.dialog.close();
        tell(say('phone.here'));
        count();
        later(100);
        return;
      }
      $('.symbol', panel).replaceChildren();
      $('.address', panel).textContent = '';
      state(say('phone.over'));
    } catch {
      state(say('offline'));
    } finally {
      this.calling = false;
    }
  }
  async draw() {
    if (!this.pad) {
      const pad = await import(form.dataset.pad).catch(() => this.fail(say('offline')));
      if (!pad) return;
      this.pad ||= new pad.Pad(this.canvas);
      this.pad.ink(this.pen());
      $('[data-pad=undo]', this.dialog).onclick = () => this.pad.undo();
      $('[data-pad=clear]', this.dialog).onclick = () => this.pad.clear();
    }
    this.pad.fit();
  }
  preview() {
    clearTimeout(this.wait);
    this.wait = setTimeout(() => {
      for (const i of $$('.style img', this.dialog)) i.src = this.face(i, form.dataset.name);
    }, 200);
  }
  typed() {
    return picture(this.face($('.style:has(:checked) img', this.dialog), ''));
  }
  face(i, name) {
    return i.src.replace(/text=.*$/, 'text=' + encodeURIComponent(this.text.value.trim() || name));
  }
  async look() {
    const f = this.file.files[0],
      mine = (this.turn = {});
    this.read = null;
    this.shown.hidden = true;
    this.paper.closest('label').hidden = this.crop.hidden = !f;
    if (!f) return;
    this.fail('');
    try {
      if (!/^image\/(png|jpeg)$/.test(f.type) || f.size > 20 << 20) throw f;
      const { prepare } = await import('./photo.js'),
        cuts = this.cuts.map(c => c.value / 100),
        data = await prepare(f, this.paper.checked, cuts);
      if (mine !== this.turn) return; // superseded by another picture or crop
      if (data.length > 2.6e6) throw f;
      this.read = this.shown.src = data;
      this.shown.hidden = false;
    } catch {
      if (mine === this.turn) this.fail(say('badfile'));
    }
  }
  fail(text) {
    this.error.textContent = text;
    this.error.hidden = !text;
  }
  adopt() {
    if (this.type === 'typed') {
      if (!this.text.value.trim()) {
        this.fail(say('name'));
        return this.text.focus();
      }
      this.keep('typed', '', this.typed());
    } else if (this.type === 'drawn') {
      const strokes = this.pad?.strokes() || [];
      if (!strokes.length) return this.fail(say('empty'));
      if (this.pad.small() && !this.sure) {
        this.sure = true;
        return this.fail(say('small'));
      }
      this.draws(JSON.stringify(strokes), this.pen());
    } else if (this.type === 'saved') {
      this.keep('saved', '', picture(this.own.src));
    } else {
      if (!this.read) return this.file.files[0] || this.fail(say('nofile'));
      this.keep('image', this.read, picture(this.read));
    }
    if (this.file) this.file.value = '';
    this.dialog.close();
    tell(say('signed'));
    count();
    later(100);
  }
  // draws keeps strokes, and shows them once the pad's script has loaded.
  draws(data, ink) {
    const kept = this.keep('drawn', data, document.createElement('span'), ink);
    import(form.dataset.pad)
      .then(pad => kept === this.kept && this.show(pad.pictureOf(JSON.parse(data), ink, say('mark'))))
      .catch(() => {});
  }
  keep(type, data, shown, ink = '') {
    this.sure = false;
    this.done = true;
    [type, data, ink].forEach((v, i) => {
      this.hidden[i].value = v;
    });
    this.show(shown);
    return (this.kept = {});
  }
  show(shown) {
    for (const b of $$('button[data-mark="' + this.kind + '"]')) {
      b.replaceChildren(
        shown.cloneNode(true),
        Object.assign(document.createElement('span'), { className: 'vh', textContent: say('change') }),
      );
    }
  }
}
const picture = src => Object.assign(new Image(), { src, alt: say('mark') });
const marks = {};
for (const card of $$('.mark', form)) marks[card.dataset.kind] = new Mark(card);
for (const b of $$('button[data-mark]', form)) {
  b.hidden = false;
  b.parentElement.querySelector('a.put')?.remove();
  b.addEventListener('click', () => marks[b.dataset.mark].open(b));
}

const print = $('#print'),
  sizes = $('#text-size');
print.parentElement.hidden = false;
print.addEventListener('click', () => window.print());
sizes.addEventListener('submit', e => {
  e.preventDefault();
  const data = new FormData(sizes, e.submitter);
  document.documentElement.dataset.text = data.get('size');
  for (const b of $$('button', sizes))
    b === e.submitter ? b.setAttribute('aria-current', 'true') : b.removeAttribute('aria-current');
  fetch(sizes.action, { method: 'POST', body: data, headers: { 'X-Requested-With': 'fetch' } }).catch(() => {});
});
$('.zoom')?.removeAttribute('hidden');
$('#zoom')?.addEventListener('change', e => {
  $('#sheets').style.setProperty('--zoom', e.target.value + '%');
});
for (const m of $$('details.menu')) {
  m.addEventListener('keydown', e => {
    if (e.key === 'Escape') {
      m.open = false;
      $('summary', m).focus();
    }
  });
  addEventListener('click', e => {
    if (!m.contains(e.target)) m.open = false;
  });
}
if ($('[data-day]', form)) import('./dates.js').then(m => m.offer(form, say)).catch(() => {});
if ($('#reading')) import('./reading.js').then(m => m.follow(form, say, tell)).catch(() => {});
count();
// Save input from before this script loaded.
if (
  $$('input:not([type=hidden],[type=file]),textarea', form).some(
    e => !e.closest('dialog') && (e.checked !== e.defaultChecked || e.value !== e.defaultValue),
  )
)
  later();
if (document.activeElement === document.body) $('#errors')?.focus();
