// Progress of a bulk run: replaces its numbers and rows every few seconds while it runs.
// Hidden tabs don't poll.
const every = 3000,
  parts = ['#run', '#rows'];
const at = selector => document.querySelector(selector);
const said = at('#run').dataset.running;
let over = !said,
  kept = false;

// Don't replace a part that has focus or is pressed: the keyboard would lose its place,
// or the click would be lost.
const held = part => at(part).contains(document.activeElement) || at(part).matches(':active');

async function look() {
  const answer = await fetch(location.href, { credentials: 'same-origin', headers: { 'X-Requested-With': 'fetch' } });
  if (!answer.ok || answer.redirected) return;
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  kept = false;
  for (const part of parts) {
    const next = now.querySelector(part);
    if (!next) continue;
    if (held(part)) kept = true;
    else at(part).replaceWith(next);
  }
  if (over || now.querySelector('#run[data-running]')) return;
  over = true;
  for (const form of document.querySelectorAll('form[action$="/cancel"]')) form.closest('details').remove();
  at('#status').textContent = said;
  delete at('#run').dataset.running;
}

// Parts that were held back are replaced later, even after the run has ended.
async function watch() {
  while (!over || kept) {
    await new Promise(done => setTimeout(done, every));
    if (document.visibilityState === 'visible') await look().catch(() => {});
  }
}
watch();
