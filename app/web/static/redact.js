// Redaction: every box drawn over a page becomes a row of the form.
const form = document.querySelector('#regions'),
  list = form.querySelector('.regions');
const papers = [...document.querySelectorAll('.paper')],
  sides = ['left', 'top', 'width', 'height'];
const rows = () => [...list.children],
  of = (row, name) => row.querySelector(`[name=${name}]`);
const empty = rows()[0].cloneNode(true);
for (const input of empty.querySelectorAll('input')) input.setAttribute('value', '');

const isBlank = row => ['page', ...sides].every(name => !of(row, name).value.trim());
const percent = (row, name) => parseFloat(of(row, name).value.replace(',', '.'));

function place(box, values) {
  sides.forEach((name, i) => {
    box.style[name] = values[i] + '%';
  });
}

// show draws the boxes of all rows.
function show() {
  for (const box of document.querySelectorAll('.paper button')) box.remove();
  for (const row of rows()) {
    const paper = papers.find(p => p.dataset.page === of(row, 'page').value.trim()),
      values = sides.map(name => percent(row, name));
    if (!paper || values.some(Number.isNaN)) continue;
    const box = document.createElement('button');
    box.type = 'button';
    box.title = form.dataset.removeLabel;
    box.setAttribute('aria-label', form.dataset.removeLabel);
    place(box, values);
    box.addEventListener('click', () => remove(row));
    paper.append(box);
  }
}

function add(page, values) {
  const row = rows().find(isBlank) || list.appendChild(empty.cloneNode(true));
  ready(row);
  of(row, 'page').value = page;
  sides.forEach((name, i) => {
    of(row, name).value = values ? values[i].toFixed(2) : '';
  });
  show();
  return row;
}

function remove(row) {
  row.remove();
  if (!rows().length) list.append(empty.cloneNode(true));
  rows().forEach(ready);
  show();
}

function ready(row) {
  const button = row.querySelector('[data-remove]');
  button.hidden = false;
  button.onclick = () => remove(row);
}

// A finger scrolls the pages until drawing with it is turned on. Two fingers zoom them even then.
const finger = document.querySelector('[data-finger]');
let drawing = false;
finger.addEventListener('click', () => {
  drawing = !drawing;
  finger.setAttribute('aria-pressed', drawing);
  for (const paper of papers) paper.classList.toggle('drawing', drawing);
});

for (const paper of papers) {
  let from = null,
    box = null;
  const at = e => {
    const r = paper.getBoundingClientRect(),
      within = v => Math.min(100, Math.max(0, v * 100));
    return [within((e.clientX - r.left) / r.width), within((e.clientY - r.top) / r.height)];
  };
  const drawn = e => {
    const [x, y] = at(e);
    return [Math.min(x, from[0]), Math.min(y, from[1]), Math.abs(x - from[0]), Math.abs(y - from[1])];
  };
  paper.addEventListener('pointerdown', e => {
    if (e.button || !e.isPrimary || (e.pointerType === 'touch' && !drawing) || e.target.tagName === 'BUTTON') return;
    e.preventDefault();
    from = at(e);
    box = paper.appendChild(document.createElement('span'));
    paper.setPointerCapture(e.pointerId);
  });
  paper.addEventListener('pointermove', e => {
    if (from && e.isPrimary) place(box, drawn(e));
  });
  const end = e => {
    if (!from || !e.isPrimary) return;
    const values = drawn(e);
    box.remove();
    from = null;
    if (e.type === 'pointerup' && values[2] > 0.3 && values[3] > 0.3) add(paper.dataset.page, values);
  };
  paper.addEventListener('pointerup', end);
  paper.addEventListener('pointercancel', end);
}

const more = form.querySelector('[data-add]');
more.hidden = false;
more.addEventListener('click', () => of(add(papers[0]?.dataset.page || '1'), 'left').focus());
list.addEventListener('input', show);
rows()
  .slice(1)
  .filter(isBlank)
  .forEach(row => row.remove());
rows().forEach(ready);
show();
document.documentElement.dataset.redact = 'ready';
