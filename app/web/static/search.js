// Search as you type: replaces the results and keeps the address. Without this script the same
// form is sent.
const $ = (s, of = document) => of.querySelector(s);
const form = $('.search'),
  input = $('#search');
let shown = location.href,
  timer,
  asked;

function address() {
  const to = new URL(form.action);
  for (const [name, value] of new FormData(form)) if (value.trim()) to.searchParams.set(name, value);
  return to.href;
}

async function find() {
  clearTimeout(timer);
  const to = address();
  if (to === shown) return;
  shown = to;
  asked?.abort();
  const mine = (asked = new AbortController());
  $('#results').setAttribute('aria-busy', 'true');
  try {
    const answer = await fetch(to, { signal: mine.signal, headers: { 'X-Requested-With': 'fetch' } });
    const page = new DOMParser().parseFromString(answer.ok ? await answer.text() : '', 'text/html'),
      results = $('#results', page);
    if (mine !== asked) return;
    if (!results) return location.assign(to);
    $('#results').replaceWith(results);
    history.replaceState(null, '', to);
    $('#row [name=next]').value = $('#row [name=next]', page).value;
    $('#status').textContent = $('#results :is(.pager p,.empty h2)').textContent;
    document.dispatchEvent(new Event('rows'));
  } catch (e) {
    if (e.name !== 'AbortError') location.assign(to);
  }
}

if (form) {
  form.addEventListener('input', e => {
    if (e.target === input && !e.isComposing) {
      clearTimeout(timer);
      timer = setTimeout(find, 150);
    }
  });
  form.addEventListener('compositionend', () => {
    timer = setTimeout(find, 150);
  });
  form.addEventListener('submit', e => {
    e.preventDefault();
    // The whole page shows which filters are in use.
    if (e.submitter?.closest('.filter')) location.assign(address());
    else find();
  });
  input.addEventListener('keydown', e => {
    if (e.key !== 'ArrowDown') return;
    const first = $('.documents th a:not(.updated)', $('tbody'));
    if (first) {
      e.preventDefault();
      first.focus();
    }
  });
}
