// Opens the wanted page once the server answers again. Reloading before would take away the focus, and
// reloading twice would interrupt a page that is slow to arrive. Under its own address, this page is the
// wanted one.
const { root } = document.documentElement.dataset;
const tryAgain = async () => {
  const answer = await fetch(root + 'healthz', { cache: 'no-store' }).catch(() => null);
  if (!answer?.ok) return;
  clearInterval(timer);
  if (location.pathname !== root + 'offline') location.reload();
};
addEventListener('online', tryAgain);
const timer = setInterval(tryAgain, 3000);
