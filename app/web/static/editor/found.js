// Fields suggested from the text of the pages. Loaded on demand.
import { $, say, make, post, tell, typeName } from './text.js';

export class Found {
  constructor(model, view, editor) {
    Object.assign(this, { model, view, editor, list: [] });
    $('#found').addEventListener('click', e => {
      const b = e.target.closest('button'),
        at = b && +b.closest('li').dataset.n;
      if (!b) return;
      if (b.dataset.accept) this.accept([this.list[at]]);
      else this.look(this.list[at]);
    });
  }

  async find() {
    const mine = (this.asked = {});
    $('#found-text').textContent = say('finding');
    const answer = await post('/detect', {}).catch(() => ({ status: 0 }));
    if (mine !== this.asked) return; // superseded or closed
    if (answer.status !== 200) {
      $('#found-text').textContent = answer.body?.message || say('failed');
      return;
    }
    this.list = answer.body.fields
      .map(f => ({
        ...this.model.read({ ...f, id: '' })[1],
        who: this.model.hands.has(f.who) ? f.who : this.editor.for,
      }))
      .filter(f => this.model.fits(f));
    this.show();
    $('#found-all').scrollIntoView({ block: 'nearest' });
  }
  show() {
    const n = this.list.length;
    $('#found-text').textContent = n ? say('found', { n }) : say('found-none');
    $('#found-all').hidden = !n;
    $('#found').replaceChildren(
      ...this.list.slice(0, 100).map((f, i) =>
        make(
          'li',
          { data: { n: i }, className: this.model.hue(f.who) },
          make('span', { className: 'letter', textContent: this.model.letter(f.who) }),
          make('button', {
            type: 'button',
            className: 'link',
            dir: 'auto',
            textContent: say('find', { type: f.label || typeName(f.type), page: f.i + 1 }),
          }),
          make('button', {
            type: 'button',
            className: 'tool wide',
            data: { accept: 'yes' },
            'aria-label': say('accept') + ', ' + say('find', { type: f.label || typeName(f.type), page: f.i + 1 }),
            textContent: say('accept'),
          }),
        ),
      ),
    );
  }
  close() {
    this.asked = null;
    this.list = [];
    $('#found').replaceChildren();
    $('#found-text').textContent = '';
    $('#found-all').hidden = true;
    $('[data-do=find]').focus();
  }
  look(f) {
    this.editor.show('pages');
    this.editor.show('fields');
    this.view.go(f.i);
  }
  accept(list) {
    const made = list.map(f => [this.model.newKey(), f]);
    this.list = this.list.filter(f => !list.includes(f));
    this.model.change(made);
    this.model.select(made.map(([k]) => k));
    this.show();
    ($('#found [data-accept]') || $('[data-do=find]')).focus();
    this.view.go(made[0][1].i);
    tell('accepted', { n: made.length });
  }
}
