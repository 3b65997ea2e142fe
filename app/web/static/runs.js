// The progress of a run: while it goes on, its numbers and rows are replaced every few
// seconds. A window that nobody looks at does not ask.
const every = 3000, parts = ['#run', '#rows'];
const at = selector => document.querySelector(selector);
const said = at('#run').dataset.running;
let over = !said, kept = false;

// The focused element is kept, or the keyboard would lose its place; what is pressed stays
// too, or its click would be lost.
const held = part => at(part).contains(document.activeElement) || at(part).matches(':active');

async function look() {
  const answer = await fetch(location.href, { credentials: 'same-origin', headers: { 'X-Requested-With': 'fetch' } });
  if (!answer.ok || answer.redirected) return;
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  kept = false;
  for (const part of parts) {
    const next = now.querySelector(part);
    if (!next) continue;
    if (held(part)) kept = true; else at(part).replaceWith(next);
  }
  if (over || now.querySelector('#run[data-running]')) return;
  over = true;
  for (const form of document.querySelectorAll('form[action$="/cancel"]')) form.closest('details').remove();
  at('#status').textContent = said;
  delete at('#run').dataset.running;
}

// What was kept is replaced later, also after the end.
async function watch() {
  while (!over || kept) {
    await new Promise(done => setTimeout(done, every));
    if (document.visibilityState === 'visible') await look().catch(() => {});
  }
}
watch();
