// Redirects to the sender's page after signing, unless the signatory chooses to stay.
const box = document.getElementById('onward'),
  [link, stop, state] = ['a', 'button', '[role=status]'].map(s => box.querySelector(s));
const words = JSON.parse(box.dataset.words),
  plural = new Intl.PluralRules(box.dataset.lang);
const say = (key, n) =>
  (words[key][plural.select(n)] || words[key].other).replace('{n}', n).replace('{host}', box.dataset.host);
// Don't redirect someone who came back with the Back button.
history.replaceState(null, '', location.pathname);
const end = Date.now() + box.dataset.seconds * 1000;
state.textContent = say('soon', +box.dataset.seconds);
const timer = setInterval(() => {
  if (Date.now() < end) return;
  clearInterval(timer);
  location.assign(link.href);
}, 250);
stop.hidden = false;
stop.addEventListener('click', () => {
  clearInterval(timer);
  stop.hidden = true;
  state.textContent = say('stopped', 0);
  link.focus();
});
