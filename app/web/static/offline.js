// Opens the wanted page once the server answers again. Reloading before would take away the focus.
const { root } = document.documentElement.dataset;
const tryAgain = () => fetch(root + 'healthz', { cache: 'no-store' }).then(answer => answer.ok && location.reload(), () => {});
addEventListener('online', tryAgain);
setInterval(tryAgain, 3000);
