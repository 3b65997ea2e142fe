// Tables: rows per page, relative times that stay true while the page is open.
const $$ = s => [...document.querySelectorAll(s)];

// Changing the number of rows applies at once; the style sheet hides the button.
const number = '.pager select',
  apply = s => s.form.requestSubmit();
document.addEventListener('change', e => {
  if (e.target.matches(number)) apply(e.target);
});
for (const s of $$(number)) if (!s.selectedOptions[0].defaultSelected) apply(s); // changed before this was loaded

// The server writes times of the last week like this; the full time is the tooltip.
const ago = new Intl.RelativeTimeFormat(document.documentElement.lang + '-u-nu-latn');
const units = [
  ['day', 864e5],
  ['hour', 36e5],
  ['minute', 6e4],
];
setInterval(() => {
  for (const e of $$('time[data-ago]')) {
    const past = Date.now() - Date.parse(e.dateTime),
      [unit, size] = units.find(u => past >= u[1]) || [];
    if (unit && past < 6048e5) e.textContent = ago.format(-Math.floor(past / size), unit);
  }
}, 6e4);
