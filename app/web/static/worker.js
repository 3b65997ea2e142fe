// Shows a page of ours while the server can't be reached. It stores that page and nothing else, and
// touches no request but opening a team page: forms and scripts get the browser's own error.
const store = 'offline', page = new URL('offline', location);

addEventListener('install', e => {
  e.waitUntil(caches.open(store).then(c => c.add(new Request(page, { cache: 'no-store' }))).then(() => skipWaiting()));
});
addEventListener('fetch', e => {
  if (e.request.mode !== 'navigate' || e.request.method !== 'GET') return;
  e.respondWith(fetch(e.request).catch(async error => {
    const kept = await caches.match(page);
    if (!kept) throw error;
    return kept;
  }));
});
