// Follows which pages of a document were shown that has to be read to the end. The buttons to finish lead
// to the next unread page until then.
export function follow(form, say, tell) {
  const box = form.querySelector('#reading'),
    field = form.elements.pages,
    sheets = [...form.querySelectorAll('.sheet')];
  const store = 'pages ' + form.dataset.base,
    labels = [...form.querySelectorAll('button[value=finish]')].map(b => [b.lastChild, b.lastChild.textContent]);
  const read = new Set(
    [field.value, recall()]
      .join()
      .split(',')
      .map(Number)
      .filter(n => n && n <= sheets.length),
  );
  const visible = new Set(),
    left = () => sheets.filter((_, i) => !read.has(i + 1));
  function recall() {
    try {
      return sessionStorage.getItem(store) || '';
    } catch {
      return '';
    }
  }

  // A page counts once its picture has loaded and half of it, or half a screen of it, is visible.
  const look = new IntersectionObserver(
    entries => {
      for (const e of entries)
        visible[e.intersectionRatio >= 0.5 || e.intersectionRect.height >= innerHeight / 2 ? 'add' : 'delete'](
          e.target,
        );
      note();
    },
    { threshold: Array.from({ length: 41 }, (_, i) => i / 40) },
  );
  for (const s of sheets) look.observe(s.querySelector('.im'));
  form.addEventListener('load', note, true);
  document.addEventListener('visibilitychange', note);

  function note() {
    if (document.visibilityState === 'visible')
      for (const im of visible) {
        const { complete, naturalWidth } = im.querySelector('img');
        if (complete && naturalWidth) read.add(sheets.indexOf(im.closest('.sheet')) + 1);
      }
    show();
  }
  function show() {
    const n = left().length;
    field.value = [...read].join();
    try {
      sessionStorage.setItem(store, field.value);
    } catch {}
    for (const [text, own] of labels) {
      const label = n ? say('unread', { n }) : own;
      if (text.textContent !== label && !text.parentElement.hasAttribute('aria-busy')) text.textContent = label;
    }
  }
  addEventListener(
    'submit',
    e => {
      const [next] = left();
      if (e.target !== form || e.submitter?.value !== 'finish' || !next) return;
      e.preventDefault();
      e.stopImmediatePropagation();
      next.tabIndex = -1;
      next.scrollIntoView();
      next.focus({ preventScroll: true });
      tell(say('unread', { n: left().length }));
    },
    true,
  );
  box.hidden = box.querySelector('#read-all').disabled = true;
  show();
}
