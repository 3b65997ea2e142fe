// Shows other people's changes: a line above the document, a mark on its row in a list.
// Nothing moves and focus stays; Show reloads. Hidden tabs don't listen.
const place = document.querySelector('#live');
let source,
  after = place.dataset.after;
const link = text =>
  Object.assign(document.createElement('a'), { href: location.href.split('#')[0], textContent: text });

function told(event) {
  if (event.lastEventId) after = event.lastEventId;
  const { document: id, text } = JSON.parse(event.data);
  const mine = place.dataset.document;
  if (mine && mine === id) show(text);
  if (mine || !id) return;
  const cell = document.querySelector('#row-' + CSS.escape(id) + ' th');
  if (cell && !cell.querySelector('.updated'))
    cell.append(Object.assign(link(place.dataset.updated), { className: 'updated', title: text }));
}
// show keeps an existing link, which may have focus or be pressed.
function show(text) {
  const line = place.querySelector('span');
  if (line) line.textContent = text;
  else
    place.replaceChildren(
      Object.assign(document.createElement('span'), { textContent: text }),
      link(place.dataset.show),
    );
}
const lost = () => show(place.dataset.updated.split(',')[0]);
function listen() {
  if (document.visibilityState !== 'visible') {
    source?.close();
    source = null;
    return;
  }
  if (source) return;
  source = new EventSource(document.documentElement.dataset.root + 'app/events?after=' + encodeURIComponent(after));
  source.onmessage = told;
  source.addEventListener('lost', lost);
}
document.addEventListener('visibilitychange', listen);
addEventListener('pagehide', () => {
  source?.close();
  source = null;
});
addEventListener('pageshow', listen);
listen();
