// The progress of a run: while it goes on, its numbers and rows are replaced every few
// seconds. A window that nobody looks at does not ask.
const every = 3000, parts = ['#run', '#rows'];
const at = selector => document.querySelector(selector);

async function look() {
  const answer = await fetch(location.href, { credentials: 'same-origin', headers: { 'X-Requested-With': 'fetch' } });
  if (!answer.ok || answer.redirected) return;
  const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const said = at('#run').dataset.running;
  for (const part of parts) {
    const next = now.querySelector(part);
    // What has the focus stays, or a keyboard would lose its place.
    if (next && !at(part).contains(document.activeElement)) at(part).replaceWith(next);
  }
  if (!now.querySelector('#run[data-running]')) {
    for (const form of document.querySelectorAll('form[action$="/cancel"]')) form.closest('details').remove();
    at('#status').textContent = said;
    delete at('#run').dataset.running;
  }
}

async function watch() {
  while (at('#run[data-running]')) {
    await new Promise(done => setTimeout(done, every));
    if (document.visibilityState === 'visible') await look().catch(() => {});
  }
}
watch();
