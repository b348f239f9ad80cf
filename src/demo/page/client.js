// The client page of the demo: an authorization code with PKCE in a browser, without a library, so that it can be read.

const settings = await getJson('/settings.json');

/** The token stays in memory: whatever is stored can be read by every script of the origin. */
let accessToken;

/** What the answer must fit, kept from one address to the next; it is taken once. */
const asked = {
  keep: (request) => sessionStorage.setItem('request', JSON.stringify(request)),
  take() {
    const text = sessionStorage.getItem('request');
    sessionStorage.removeItem('request');
    return text === null ? undefined : JSON.parse(text);
  },
};

async function signIn() {
  const request = { state: random(), verifier: random() };
  const { authorization_endpoint } = await discover();
  asked.keep(request);
  const url = new URL(authorization_endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: settings.redirectUri,
    scope: settings.scope,
    state: request.state,
    code_challenge: await challengeOf(request.verifier),
    code_challenge_method: 'S256',
  });
  location.assign(url);
}

async function finish() {
  const answer = new URLSearchParams(location.search);
  const request = asked.take();
  // neither the history nor a reload has the code
  history.replaceState(null, '', '/');
  judge(answer, request);
  const token = await redeem(once(answer, 'code'), request.verifier);
  accessToken = token.access_token;
  find('scope').textContent = token.scope;
  find('granted').hidden = false;
  await call('GET', '/orders/7');
}

/** RFC 6749 §10.12 and RFC 9207 §2.4: an answer to no request of this page, or of another issuer, is no answer. */
function judge(answer, request) {
  if (request === undefined || once(answer, 'state') !== request.state)
    throw new Error('This answer belongs to no request of this page: its state is another.');
  if (once(answer, 'iss') !== settings.issuer)
    throw new Error('This answer is not from the authorization service: its iss is another.');
  if (answer.has('error')) throw new Error(`${answer.get('error')}: ${answer.get('error_description') ?? ''}`);
}

async function redeem(code, verifier) {
  const { token_endpoint } = await discover();
  const token = await getJson(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: settings.clientId,
      redirect_uri: settings.redirectUri,
      code,
      code_verifier: verifier,
    }),
  });
  if (token.token_type.toLowerCase() !== 'bearer') throw new Error(`A token of an unknown type: ${token.token_type}`);
  return token;
}

async function call(method, path) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(settings.api + path, { method, headers });
  find('status').textContent = `${method} ${path}: ${response.status}`;
  find('answer').textContent = await response.text();
}

/** RFC 8414 §3.3: metadata that names another issuer is of another. */
async function discover() {
  const metadata = await getJson(`${settings.issuer}/.well-known/oauth-authorization-server`);
  if (metadata.issuer !== settings.issuer) throw new Error(`The metadata is of ${metadata.issuer}.`);
  return metadata;
}

async function getJson(url, init = {}) {
  const response = await fetch(url, init);
  const body = await response.json();
  if (!response.ok) throw new Error(`${body.error}: ${body.error_description}`);
  return body;
}

function random() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier) {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

/** RFC 6749 §3.1: a parameter that is sent twice counts as none. */
function once(parameters, name) {
  const values = parameters.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

function find(id) {
  return document.getElementById(id);
}

/** Whatever goes wrong is shown. */
async function act(step) {
  find('refused').hidden = true;
  try {
    await step();
  } catch (error) {
    find('refused').textContent = error.message;
    find('refused').hidden = false;
  }
}

find('sign-in').addEventListener('click', () => act(signIn));
find('sign-in').disabled = false;
for (const button of document.querySelectorAll('[data-path]'))
  button.addEventListener('click', () => act(() => call(button.dataset.method, button.dataset.path)));

const home = new URL(settings.redirectUri);
if (location.origin !== home.origin) location.replace(home.origin);
else if (location.pathname === home.pathname) await act(finish);
