// Passkeys: gets a challenge from the server, has the browser answer it, and submits
// the answer with the form.
const forms = document.querySelectorAll('form[data-passkey]');
const bytes = s => Uint8Array.from(atob(s.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
const text = b =>
  btoa(String.fromCharCode(...new Uint8Array(b)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');

// Browsers before 2025 lack the built-in JSON conversions.
function parse(o, kind) {
  const modern = PublicKeyCredential['parse' + kind + 'OptionsFromJSON'];
  if (modern) return modern.call(PublicKeyCredential, o);
  const list = all => all?.map(c => ({ ...c, id: bytes(c.id) }));
  const out = {
    ...o,
    challenge: bytes(o.challenge),
    allowCredentials: list(o.allowCredentials),
    excludeCredentials: list(o.excludeCredentials),
  };
  if (o.user) out.user = { ...o.user, id: bytes(o.user.id) };
  return out;
}
function json(c) {
  if (c.toJSON) return c.toJSON();
  const r = c.response,
    response = {};
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'])
    if (r[name]) response[name] = text(r[name]);
  if (r.getTransports) response.transports = r.getTransports();
  return {
    id: c.id,
    rawId: text(c.rawId),
    type: c.type,
    response,
    clientExtensionResults: c.getClientExtensionResults(),
    authenticatorAttachment: c.authenticatorAttachment,
  };
}

let waiting; // the request pending in the background
async function ask(form, conditional) {
  waiting?.abort();
  const stop = (waiting = new AbortController());
  const answer = await fetch(form.dataset.passkey, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form)),
    headers: { 'X-Requested-With': 'fetch' },
  });
  const got = await answer.json();
  if (got.prove)
    return location.assign(
      document.documentElement.dataset.root + 'app/me/prove?next=' + encodeURIComponent(location.pathname),
    );
  if (!answer.ok) throw new Error(got.message);
  const making = form.dataset.kind === 'create',
    publicKey = parse(got.options.publicKey, making ? 'Creation' : 'Request');
  const credential = await (making
    ? navigator.credentials.create({ publicKey, signal: stop.signal })
    : navigator.credentials.get({
        publicKey,
        signal: stop.signal,
        ...(conditional ? { mediation: 'conditional' } : {}),
      }));
  form.elements.ceremony.value = got.id;
  form.elements.credential.value = JSON.stringify(json(credential));
  form.submit();
}
for (const form of forms) {
  if (!window.PublicKeyCredential) continue;
  form.hidden = false;
  const line = form.querySelector('[data-problem]');
  form.addEventListener('submit', async e => {
    e.preventDefault();
    line.hidden = true;
    try {
      await ask(form, false);
    } catch (error) {
      if (error.name === 'AbortError') return;
      line.textContent =
        error.name === 'NotAllowedError'
          ? form.dataset.cancelled
          : error.name === 'InvalidStateError'
            ? form.dataset.known
            : error.message;
      line.hidden = false;
    }
  });
  // Offer passkeys in autofill.
  if ('conditional' in form.dataset && (await PublicKeyCredential.isConditionalMediationAvailable?.()) && !waiting)
    ask(form, true).catch(() => {});
}
