// Tables: rows per page, relative times.
const $$ = s => [...document.querySelectorAll(s)];

// Changing the number of rows applies at once.
for (const size of $$('.pager select')) {
  size.form.querySelector('button').hidden = true;
  size.addEventListener('change', () => size.form.requestSubmit());
}

// Times within the last week become relative; the full time is the tooltip.
const times = $$('td time').filter(e => Date.now() - Date.parse(e.dateTime) < 6048e5);
if (times.length) {
  const ago = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' });
  const units = [['day', 864e5], ['hour', 36e5], ['minute', 6e4], ['second', 0]];
  const show = () => {
    for (const e of times) {
      const past = Date.now() - Date.parse(e.dateTime), [unit, size] = units.find(u => past >= u[1]) || [];
      if (!unit) continue; // in the future
      e.title ||= e.textContent;
      e.textContent = ago.format(size ? -Math.floor(past / size) : 0, unit);
    }
  };
  show();
  setInterval(show, 6e4);
}
