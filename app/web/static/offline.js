// Opens the wanted page once the server answers again. Reloading before would take away the focus, and
// reloading twice would interrupt a page that is slow to arrive.
const { root } = document.documentElement.dataset;
const tryAgain = async () => {
  const answer = await fetch(root + 'healthz', { cache: 'no-store' }).catch(() => null);
  if (!answer?.ok) return;
  clearInterval(timer);
  location.reload();
};
addEventListener('online', tryAgain);
const timer = setInterval(tryAgain, 3000);
