// Warns two minutes before the session ends and extends it on request. Tabs share a
// session, so they notify each other.
const box = document.querySelector('#ending'),
  early = 120;
const others = new BroadcastChannel('paraph-session');
let ends = 0;
const begin = left => {
  ends = left > 0 ? Date.now() + left * 1000 : 0;
  look();
};
function look() {
  if (!ends) return;
  const left = (ends - Date.now()) / 1000,
    over = left <= 0;
  if (left > early) {
    box.hidden = true;
    return;
  }
  const first = box.hidden;
  box.hidden = false;
  box.querySelector('[data-soon]').hidden = over;
  box.querySelector('[data-over]').hidden = !over;
  box.querySelector('[data-stay]').hidden = over;
  if (first || over)
    document.querySelector('#alert').textContent = box.querySelector(over ? '[data-over]' : '[data-soon]').textContent;
  if (over) ends = 0;
}
let staying = false;
box.addEventListener('submit', e => {
  e.preventDefault();
  if (!staying) {
    staying = true;
    stay();
  }
});
// stay retries while there is no answer and time is left.
async function stay() {
  const answer = await fetch(box.action, {
    method: 'POST',
    body: new URLSearchParams(new FormData(box)),
    headers: { 'X-Requested-With': 'fetch' },
  }).catch(() => null);
  if (ends && (!answer || answer.status >= 500)) return void setTimeout(stay, 3000);
  staying = false;
  if (!answer?.ok) {
    if (answer?.status === 401) {
      ends = 1;
      look();
    }
    return;
  }
  const { left } = await answer.json(),
    here = box.contains(document.activeElement) || document.activeElement === document.body;
  begin(left);
  others.postMessage(left);
  if (here) document.querySelector('#main').focus();
}
others.addEventListener('message', e => begin(e.data));
begin(+box.dataset.left);
// Poll, because timers don't fire while a machine sleeps.
setInterval(look, 1000);
