// Problems the server found in the draft.
import { $, say, make } from './text.js';

export class Problems {
  constructor(model, view, all) {
    Object.assign(this, { model, view });
    $('#problems-list').addEventListener('click', e => {
      const b = e.target.closest('button');
      if (b) {
        $('#problems').open = false;
        this.go(this.all[+b.dataset.n]);
      }
    });
    this.show(all);
  }
  show(all) {
    this.all = all.filter(p => p.severity !== 'info');
    const n = this.all.length;
    $('#problems-n').textContent = n ? say('problems', { n }) : say('no-problems');
    $('#problems').classList.toggle('some', n > 0);
    $('#problems summary').dataset.n = n || '';
    $('#problems-list').replaceChildren(
      ...this.all.map((p, i) =>
        make(
          'li',
          { className: p.severity },
          p.field || p.page
            ? make('button', { type: 'button', className: 'link', data: { n: i }, textContent: p.message })
            : p.message,
        ),
      ),
    );
  }
  go(p) {
    const key = p.field && [...this.model.ids].find(([k, id]) => id === p.field && this.model.fields.has(k))?.[0];
    if (key) {
      this.model.select([key]);
      this.view.focus(key);
    } else {
      const i = this.model.places.get(p.file + '/' + p.page);
      if (i >= 0) this.view.go(i);
    }
  }
}
