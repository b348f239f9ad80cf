// The client page of the demo: OpenID Connect with a code and PKCE in a browser, without a library, so that it can be read.
import { texts } from './texts.js';
import { begin, done, failed, fill, find, show, showAnswer, start } from './view.js';

const settings = await getJson('/settings.json');

/** The tokens stay in memory: whatever is stored can be read by every script of the origin. */
let accessToken;
let idToken;

/** What the answer must match. The page keeps it across the redirect, and reads it once. */
const asked = kept('request');

/** A token that is about to end, kept until the browser is back. */
const ending = kept('ending');

function kept(name) {
  return {
    keep: (value) => sessionStorage.setItem(name, JSON.stringify(value)),
    take() {
      const text = sessionStorage.getItem(name);
      sessionStorage.removeItem(name);
      return text === null ? undefined : JSON.parse(text);
    },
  };
}

async function signIn() {
  begin('redirect');
  const request = { state: random(), nonce: random(), verifier: random() };
  const { authorization_endpoint } = await discover();
  asked.keep(request);
  const url = new URL(authorization_endpoint);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: settings.redirectUri,
    scope: settings.scope,
    state: request.state,
    nonce: request.nonce,
    code_challenge: await challengeOf(request.verifier),
    code_challenge_method: 'S256',
  });
  done('redirect');
  begin('consent');
  location.assign(url);
}

async function finish() {
  const answer = new URLSearchParams(location.search);
  const request = asked.take();
  // neither the history nor a reload has the code
  history.replaceState(null, '', '/');
  begin('consent');
  judge(answer, request);
  done('redirect', fill(texts.asked, { scope: settings.scope, state: start(request.state) }));
  done('consent', fill(texts.answered, { issuer: settings.issuer }));
  const code = once(answer, 'code');
  done('code', fill(texts.code, { code: start(code) }));
  await signedIn(await redeem(code, request.verifier), request.nonce);
  await call('GET', '/orders/7');
}

async function signedIn(token, nonce) {
  const { sub } = claimsOf(token.id_token, nonce);
  accessToken = token.access_token;
  idToken = token.id_token;
  done('token', fill(texts.token, { token: start(accessToken), seconds: token.expires_in, sub }));
  find('scope').textContent = token.scope;
  find('sub').textContent = sub;
  find('name').textContent = (await userinfo(sub)).name ?? sub;
  show('start', false);
  show('granted');
  show('calls');
}

/**
 * OpenID Connect Core §3.1.3.7. The page got the ID token from the token endpoint itself, so it needs no signature (item 6).
 */
function claimsOf(text, nonce) {
  const [, payload = ''] = (text ?? '').split('.');
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0));
  const claims = JSON.parse(new TextDecoder().decode(bytes));
  const { iss, aud, exp } = claims;
  if (iss !== settings.issuer || aud !== settings.clientId) throw new Error(texts.faults.audience);
  if (claims.nonce !== nonce) throw new Error(texts.faults.nonce);
  if (exp * 1000 < Date.now()) throw new Error(texts.faults.expired);
  return claims;
}

/** OpenID Connect Core §5.3.2: claims of another subject do not count. */
async function userinfo(sub) {
  const { userinfo_endpoint } = await discover();
  const claims = await getJson(userinfo_endpoint, { headers: { authorization: `Bearer ${accessToken}` } });
  return claims.sub === sub ? claims : {};
}

/** OpenID Connect RP-Initiated Logout §2: the browser goes to the authorization service, and comes back. */
async function signOut() {
  const { end_session_endpoint } = await discover();
  const state = random();
  ending.keep({ state, accessToken });
  const url = new URL(end_session_endpoint);
  url.search = new URLSearchParams({
    id_token_hint: idToken,
    post_logout_redirect_uri: settings.afterLogout,
    state,
  });
  location.assign(url);
}

/** Shows that the API refuses the token now. */
async function signedOut() {
  const state = once(new URLSearchParams(location.search), 'state');
  const ended = ending.take();
  history.replaceState(null, '', '/');
  if (ended === undefined || ended.state !== state) throw new Error(texts.faults.signOut);
  show('gone');
  accessToken = ended.accessToken;
  await callUntilRefused('GET', '/orders/7');
  accessToken = undefined;
}

/** The gateway learns of the end of a session within a second. */
async function callUntilRefused(method, path) {
  for (let calls = 0; calls < 20; calls++) {
    if ((await call(method, path)) === 401) return;
    await new Promise((passed) => setTimeout(passed, 250));
  }
}

/**
 * RFC 6749 §10.12 and RFC 9207 §2.4: an answer counts only if it is for a request of this page, and from this issuer.
 */
function judge(answer, request) {
  if (request === undefined || once(answer, 'state') !== request.state) throw new Error(texts.faults.state);
  if (once(answer, 'iss') !== settings.issuer) throw new Error(texts.faults.issuer);
  if (answer.has('error')) throw new Error(`${answer.get('error')}: ${answer.get('error_description') ?? ''}`);
}

async function redeem(code, verifier) {
  begin('token');
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
  if (token.token_type.toLowerCase() !== 'bearer') throw new Error(fill(texts.faults.type, { type: token.token_type }));
  return token;
}

async function call(method, path) {
  return send(method, path, { authorization: `Bearer ${accessToken}` });
}

async function send(method, path, headers) {
  begin('api');
  const response = await fetch(settings.api + path, { method, headers });
  showAnswer(`${method} ${path}`, response.status, await response.text());
  done('api', fill(texts.status, { status: response.status }));
  return response.status;
}

/** OpenID Connect Discovery §4.3: metadata that name another issuer belong to that issuer. */
async function discover() {
  const metadata = await getJson(`${settings.issuer}/.well-known/openid-configuration`);
  if (metadata.issuer !== settings.issuer) throw new Error(fill(texts.faults.metadata, { issuer: metadata.issuer }));
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

/** RFC 6749 §3.1: a parameter that is sent twice counts as absent. */
function once(parameters, name) {
  const values = parameters.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

/** Every failure is shown. */
async function act(step) {
  show('refused', false);
  try {
    await step();
  } catch (error) {
    failed(error.message);
  }
}

function callOf({ dataset: { method, path, anonymous } }) {
  return anonymous === undefined ? call(method, path) : send(method, path, {});
}

find('sign-in').addEventListener('click', () => act(signIn));
find('sign-in').disabled = false;
find('sign-out').addEventListener('click', () => act(signOut));
for (const button of document.querySelectorAll('[data-path]'))
  button.addEventListener('click', () => act(() => callOf(button)));

const home = new URL(settings.redirectUri);
if (location.origin !== home.origin) location.replace(home.origin);
else if (location.pathname === home.pathname) await act(finish);
else if (location.href.startsWith(settings.afterLogout)) await act(signedOut);
