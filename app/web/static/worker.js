// Shows a page of ours while the server can't be reached. It stores that page and nothing else, and
// touches no request but opening a team page: forms and scripts get the browser's own error. The styles
// and the script of the page are left to the browser's cache, which keeps them for a year.
const store = 'offline',
  page = new URL('offline', location);

addEventListener('install', e => {
  e.waitUntil(
    (async () => {
      const answer = await fetch(page, { cache: 'no-store' }),
        html = await answer.clone().text();
      if (!answer.ok) throw new Error(answer.status);
      await (await caches.open(store)).put(page, answer);
      await Promise.all([...html.matchAll(/"([^"]*\/static\/[^"]*)"/g)].map(([, file]) => fetch(file)));
      await skipWaiting();
    })(),
  );
});
addEventListener('fetch', e => {
  if (e.request.mode !== 'navigate' || e.request.method !== 'GET') return;
  e.respondWith(
    fetch(e.request).catch(async error => {
      const kept = await caches.match(page);
      if (!kept) throw error;
      return kept;
    }),
  );
});
