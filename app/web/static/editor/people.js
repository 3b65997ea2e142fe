// The recipients: names, signing order, and access checks.
import { $, $$, root, say, make, tell } from './text.js';
import { open, confirmPerson } from './dialogs.js';

export class People {
  constructor(model, view, editor) {
    Object.assign(this, {
      model,
      editor,
      saver: editor.saver,
      me: { name: root.dataset.me, email: root.dataset.email },
    });
    this.list = $('#people');
    this.dialog = $('#person');
    this.form = $('form', this.dialog);
    this.list.addEventListener('click', e => {
      const b = e.target.closest('button'),
        id = e.target.closest('li')?.dataset.id;
      if (b && this.model.person(id)) this[b.dataset.act](id);
    });
    // Don't rerender between pointerdown and pointerup: the click would be lost.
    this.list.addEventListener('pointerdown', () => {
      this.pressed = true;
      for (const end of ['pointerup', 'pointercancel'])
        addEventListener(end, () => setTimeout(() => this.released()), { once: true });
    });
    this.list.addEventListener('pointerdown', e => this.grab(e));
    for (const r of $$('[name=order]')) r.addEventListener('change', () => this.send({ do: 'order', order: r.value }));
    this.form.addEventListener('submit', e => {
      e.preventDefault();
      this.submit();
    });
    this.form.elements.authentication.addEventListener('change', () => this.code());
    for (const name of ['name', 'email']) this.form.elements[name].addEventListener('input', e => this.suggest(e));
    this.render();
  }

  released() {
    this.pressed = false;
    if (this.stale) this.render();
  }
  render() {
    this.stale = this.pressed;
    if (this.stale) return;
    const focused = document.activeElement,
      kept = focused.closest('#people li') && [focused.closest('li').dataset.id, focused.dataset.act];
    const all = this.model.people;
    this.list.replaceChildren(...all.map((p, i) => this.row(p, i, all.length)));
    $('#nobody').hidden = all.length > 0;
    for (const r of $$('[name=order]')) r.checked = r.value === this.model.order;
    $('[data-do=add-me]').hidden = all.some(p => p.email.toLowerCase() === this.me.email.toLowerCase());
    if (kept) this.focus(...kept);
  }
  // here reports whether focus is inside the list, or nowhere.
  here() {
    return document.activeElement === document.body || this.list.contains(document.activeElement);
  }
  focus(id, act) {
    const row = $$('li', this.list).find(l => l.dataset.id === id);
    (
      (row && ($(`[data-act="${act}"]:not(:disabled)`, row) || $('button:not(:disabled)', row))) ||
      $('[data-do=add-person]')
    ).focus();
  }
  row(p, i, total) {
    const n = [...this.model.fields.values()].filter(f => f.who === p.id).length;
    const act = (name, disabled) =>
      make('button', {
        type: 'button',
        className: 'tool wide',
        disabled,
        data: { act: name },
        'aria-label': say(name) + ', ' + p.name,
        textContent: say(name),
      });
    return make(
      'li',
      { className: this.model.hue(p.id), data: { id: p.id } },
      make('span', { className: 'letter', textContent: this.model.letter(p.id), 'aria-hidden': 'true' }),
      make(
        'div',
        {},
        make('div', { className: 'name', dir: 'auto', textContent: p.name }),
        make('div', { className: 'small who' }, make('bdi', { dir: 'ltr', textContent: p.email })),
        make('div', {
          className: 'small',
          textContent:
            say('role-' + p.role) +
            (p.group ? ' · ' + p.group : '') +
            (!this.model.fills(p) ? '' : ' · ' + say('count', { n })),
        }),
      ),
      make('div', { className: 'acts' }, act('up', i === 0), act('down', i === total - 1), act('edit'), act('remove')),
    );
  }

  // send asks the server for a change and applies the result.
  async send(values) {
    const answer = await this.saver.recipients(values);
    if (answer.ok) return answer;
    if (!this.dialog.open) {
      this.editor.trouble(answer.message || say('failed'));
      this.render();
    }
    return answer;
  }

  up(id) {
    this.move(id, -1, 'up');
  }
  down(id) {
    this.move(id, 1, 'down');
  }
  // move starts from the position that earlier clicks led to.
  move(id, by, button) {
    const go = () => {
      const to = this.model.hands.get(id) + by;
      if (to >= 0 && to < this.model.people.length) return this.arrange(id, to, button);
    };
    this.moved = (this.moved || Promise.resolve()).then(go, go);
  }
  async arrange(id, to, button) {
    const ids = this.model.people.map(p => p.id).filter(other => other !== id);
    ids.splice(to, 0, id);
    const answer = await this.send({ do: 'arrange', order: ids.join(' ') });
    if (!answer.ok) return;
    if (this.here()) this.focus(id, button);
    tell('person-moved', { name: this.model.person(id).name, n: to + 1 });
  }
  // grab drags rows with the mouse; the Up and Down buttons do the same.
  grab(e) {
    const row = e.target.closest('li');
    if (!row || e.button || e.pointerType === 'touch' || e.target.closest('button')) return;
    const rows = $$('li', this.list),
      from = rows.indexOf(row),
      over = new AbortController();
    let to = from;
    const on = (event, then) => addEventListener(event, then, { signal: over.signal });
    const mark = () =>
      rows.forEach((r, i) => {
        r.classList.toggle('going', !over.signal.aborted && r === row);
        r.classList.toggle('above', !over.signal.aborted && i === to && to < from);
        r.classList.toggle('below', !over.signal.aborted && i === to && to > from);
      });
    const end = () => {
      over.abort();
      mark();
    };
    on('pointermove', m => {
      if (!row.classList.contains('going') && Math.abs(m.clientY - e.clientY) < 4) return;
      to = rows.filter(r => {
        const b = r.getBoundingClientRect();
        return r !== row && b.top + b.height / 2 < m.clientY;
      }).length;
      mark();
    });
    on('pointerup', () => {
      end();
      if (to !== from && row.isConnected) this.arrange(row.dataset.id, to, to < from ? 'up' : 'down');
    });
    on('pointercancel', end);
    on('keydown', k => {
      if (k.key === 'Escape') end();
    });
  }
  async remove(id) {
    const p = this.model.person(id),
      n = [...this.model.fields.values()].filter(f => f.who === id).length,
      at = this.model.hands.get(id);
    if ((n && !(await confirmPerson(p.name, n))) || this.going === id) return;
    this.going = id;
    const answer = await this.send({ do: 'remove', recipient: id });
    this.going = '';
    if (!answer.ok) return;
    if (this.here()) this.focus(this.model.people[Math.min(at, this.model.people.length - 1)]?.id, 'remove');
    tell('person-removed', { name: p.name });
  }
  async addMe() {
    if (this.adding) return;
    this.adding = true;
    const before = this.editor.for,
      answer = await this.send({ do: 'add', ...this.me });
    this.adding = false;
    if (answer.ok) this.added(answer, before, this.me);
  }
  // added makes a new recipient the owner of new fields, unless another has been chosen since.
  added(answer, before, { name }) {
    if (!before || this.editor.for === before) this.editor.fields.choose(answer.added);
    tell('person-added', { name });
  }

  add() {
    this.ask('', {
      role: 'signer',
      authentication: 'link',
      locale: '',
      name: '',
      email: '',
      message: '',
      position: '',
      company: '',
      job_title: '',
    });
  }
  edit(id) {
    this.ask(id, this.model.person(id));
  }
  ask(id, p) {
    const f = this.form.elements;
    this.asked = {};
    $('#person-h').textContent = say(id ? 'person-edit' : 'person-add');
    this.clear();
    f.id.value = id;
    f.access_code.value = '';
    for (const name of [
      'name',
      'email',
      'role',
      'position',
      'authentication',
      'locale',
      'message',
      'company',
      'job_title',
    ])
      f[name].value = p[name];
    if (f.locale.value !== p.locale) {
      f.locale.append(make('option', { value: p.locale, textContent: p.locale }));
      f.locale.value = p.locale;
    }
    f.access_code.placeholder = id && p.authentication === 'access_code' ? say('keep-code') : '';
    this.code();
    open(this.dialog, f.name);
  }
  code() {
    this.form.elements.access_code.closest('.field').hidden = this.form.elements.authentication.value !== 'access_code';
  }
  clear() {
    $('#person-fault').hidden = true;
    for (const e of $$('.error', this.form)) e.remove();
    for (const e of $$('[aria-invalid]', this.form)) {
      e.removeAttribute('aria-invalid');
      e.removeAttribute('aria-describedby');
      e.closest('.field').classList.remove('bad');
    }
  }
  async submit() {
    const data = new FormData(this.form),
      id = data.get('id'),
      values = { do: id ? 'update' : 'add', recipient: id };
    data.delete('id');
    for (const [k, v] of data) if (k !== 'position' || v) values[k] = v;
    if (this.sending) return;
    this.clear();
    // The dialog may have been closed, or show someone else, by the time the answer arrives.
    const mine = (this.sending = this.asked),
      before = this.editor.for;
    const answer = await this.send(values),
      same = this.dialog.open && mine === this.asked;
    this.sending = null;
    if (!answer.ok) return same ? this.fault(answer) : this.editor.trouble(answer.message || say('failed'));
    if (same) this.dialog.close('ok');
    if (id) tell('person-saved', { name: values.name });
    else this.added(answer, before, values);
  }
  fault(answer) {
    let first = null;
    for (const [key, messages] of Object.entries(answer.errors || {})) {
      const e = $(`[data-fault="${key.split('.').at(-1)}"]`, this.form);
      if (!e) continue;
      first ||= e;
      e.setAttribute('aria-invalid', 'true');
      e.setAttribute('aria-describedby', e.id + '-e');
      e.closest('.field').classList.add('bad');
      e.closest('.field').append(make('p', { className: 'error', id: e.id + '-e', textContent: messages.join(' ') }));
    }
    if (!first) {
      $('#person-fault').textContent = answer.message || say('failed');
      $('#person-fault').hidden = false;
    }
    (first || this.form.elements.name).focus();
  }

  // suggest loads the contact suggestions.
  suggest(e) {
    if (this.editor.contacts)
      import('./contacts.js').then(
        part => part.suggest(this, e),
        () => {},
      );
  }
}
