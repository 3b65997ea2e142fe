// Tables: rows per page, relative times that stay true while the page is open.
const $$ = s => [...document.querySelectorAll(s)];

// Changing the number of rows applies at once; the style sheet hides the button.
document.addEventListener('change', e => { if (e.target.matches('.pager select')) e.target.form.requestSubmit(); });

// The server writes times of the last week like this; the full time is the tooltip.
const ago = new Intl.RelativeTimeFormat(document.documentElement.lang + '-u-nu-latn');
const units = [['day', 864e5], ['hour', 36e5], ['minute', 6e4]];
setInterval(() => {
  for (const e of $$('time[data-ago]')) {
    const past = Date.now() - Date.parse(e.dateTime), [unit, size] = units.find(u => past >= u[1]) || [];
    if (unit && past < 6048e5) e.textContent = ago.format(-Math.floor(past / size), unit);
  }
}, 6e4);
