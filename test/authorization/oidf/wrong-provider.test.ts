import t from 'tap';
import type { Claims } from './checks/standard-claims.ts';
import type { PlanModule } from './module.ts';
import { plans } from './plans.ts';
import { startProvider } from './provider/provider.ts';
import type { Fault } from './provider/tls-terminator.ts';
import { verdictOf } from './run-plan.ts';
import {
  answersOf,
  assuming,
  atPath,
  deafTo,
  foreignKeys,
  hearing,
  issuing,
  notifying,
  redirecting,
} from './wrong-provider.ts';

type Row = readonly [module: string, fault: string, Fault, result?: 'warning'];

const logoutToken = 'oidcc-backchannel-rp-initiated-logout';
const discovery = 'oidcc-discovery-endpoint-verification';
const metadata = (changes: Claims) => answersOf('/.well-known/openid-configuration', changes);
const tokens = (changes: Claims) => answersOf('/oauth2/token', changes);
const userinfo = (changes: Claims) => answersOf('/oauth2/userinfo', changes);
const claims = (changes: Claims) => issuing((before) => ({ ...before, ...changes }));
const notified = (changes: Claims) => notifying((before) => ({ ...before, ...changes }));

const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';
const uncached = atPath('/oauth2/token', (answer) => ({ ...answer, headers: { 'content-type': 'application/json' } }));
const accepting = atPath('/oauth2/userinfo', (answer) => ({ ...answer, status: 200 }));
const welcome = atPath('/oauth2/logout', () => ({
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Welcome</h1>',
}));
const html = atPath('/oauth2/userinfo', ({ headers, ...answer }) => ({
  ...answer,
  headers: { ...headers, 'content-type': 'text/html' },
}));

/** Module, fault, what the provider does; the module fails, or warns where the last column says so. */
const rows: readonly Row[] = [
  [discovery, 'another issuer', metadata({ issuer: 'https://other.example.com' })],
  [discovery, 'no RS256', metadata({ id_token_signing_alg_values_supported: ['ES256'] })],
  [discovery, 'an endpoint without TLS', metadata({ userinfo_endpoint: 'http://other.example.com/userinfo' })],
  [discovery, 'an empty list', metadata({ claims_supported: [] })],
  [discovery, 'no scope openid', metadata({ scopes_supported: ['email'] })],
  [discovery, 'a key with its private part', answersOf('/oauth2/jwks', { keys: [{ kty: 'OKP', kid: 'x', d: 'x' }] })],
  [discovery, 'no list of claims', metadata({ claims_supported: undefined }), 'warning'],
  ['oidcc-server', 'a changed state', redirecting('state', 'other')],
  ['oidcc-server', 'no iss', redirecting('iss', undefined)],
  ['oidcc-server', 'another iss', redirecting('iss', 'https://other.example.com')],
  ['oidcc-server', 'a short code', redirecting('code', '123456')],
  ['oidcc-server', 'tokens that may be cached', uncached],
  ['oidcc-server', 'another token type', tokens({ token_type: 'mac' })],
  ['oidcc-server', 'a lifetime as text', tokens({ expires_in: '600' })],
  ['oidcc-server', 'no ID token', tokens({ id_token: undefined })],
  ['oidcc-server', 'another issuer of the ID token', claims({ iss: 'https://other.example.com' })],
  ['oidcc-server', 'another audience', claims({ aud: 'other' })],
  ['oidcc-server', 'two audiences without azp', claims({ aud: ['suite', 'other'], azp: undefined })],
  ['oidcc-server', 'another azp', claims({ azp: 'other' })],
  ['oidcc-server', 'an expired ID token', issuing((before) => ({ ...before, exp: Number(before.iat) - 1 }))],
  ['oidcc-server', 'an old ID token', issuing((before) => ({ ...before, iat: Number(before.iat) - 60 }))],
  ['oidcc-server', 'no nonce', claims({ nonce: undefined })],
  ['oidcc-server', 'another at_hash', claims({ at_hash: 'other' })],
  ['oidcc-server', 'a long sub', claims({ sub: 'a'.repeat(256) })],
  ['oidcc-server', 'no sub', claims({ sub: undefined })],
  ['oidcc-server', 'a future auth_time', issuing((before) => ({ ...before, auth_time: Number(before.exp) + 60 }))],
  ['oidcc-idtoken-signature', 'another key', foreignKeys],
  ['oidcc-idtoken-unsigned', 'none in the metadata', metadata({ id_token_signing_alg_values_supported: ['none'] })],
  ['oidcc-userinfo-get', 'another sub', userinfo({ sub: 'other' })],
  ['oidcc-userinfo-get', 'userinfo of another type', html],
  ['oidcc-scope-email', 'a text as email_verified', userinfo({ email_verified: 'true' })],
  ['oidcc-scope-email', 'a claim that is null', userinfo({ email: null })],
  ['oidcc-scope-email', 'no email', userinfo({ email: undefined }), 'warning'],
  ['oidcc-scope-profile', 'milliseconds', userinfo({ updated_at: 1_700_000_000_000 })],
  ['oidcc-ensure-request-without-nonce-succeeds-for-code-flow', 'an invented nonce', claims({ nonce: 'n' })],
  ['oidcc-claims-essential', 'no name', deafTo('claims'), 'warning'],
  ['oidcc-ensure-request-with-acr-values-succeeds', 'no acr', claims({ acr: undefined }), 'warning'],
  ['oidcc-prompt-login', 'prompt is ignored', deafTo('prompt')],
  ['oidcc-prompt-none-not-logged-in', 'prompt is ignored', deafTo('prompt')],
  ['oidcc-prompt-none-not-logged-in', 'another error', redirecting('error', 'access_denied')],
  ['oidcc-prompt-none-logged-in', 'another login', hearing('prompt', 'login')],
  ['oidcc-max-age-1', 'max_age is ignored', deafTo('max_age')],
  ['oidcc-max-age-10000', 'no auth_time', claims({ auth_time: undefined })],
  ['oidcc-max-age-10000', 'another login', hearing('max_age', '0')],
  ['oidcc-codereuse', 'another error', tokens({ error: 'invalid_request' })],
  ['oidcc-codereuse-30seconds', 'a token that still works', accepting, 'warning'],
  ['oidcc-refresh-token', 'no iat', claims({ iat: undefined })],
  ['oidcc-response-type-missing', 'the default', assuming('response_type', 'code')],
  ['oidcc-ensure-registered-redirect-uri', 'the default', deafTo('redirect_uri')],
  ['oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', 'ignored', deafTo('request')],
  ['oidcc-rp-initiated-logout', 'no logout', deafTo('post_logout_redirect_uri')],
  ['oidcc-rp-initiated-logout', 'another state', hearing('state', 'other')],
  ['oidcc-rp-initiated-logout-no-params', 'nothing happens', welcome],
  [logoutToken, 'another audience', notified({ aud: 'other' })],
  [logoutToken, 'a nonce', notified({ nonce: 'n' })],
  [logoutToken, 'no event', notified({ events: undefined })],
  [logoutToken, 'two events', notified({ events: { [LOGOUT]: {}, other: {} } })],
  [logoutToken, 'no jti', notified({ jti: undefined })],
  [logoutToken, 'another session', notified({ sid: 'other' })],
  [logoutToken, 'another user', notified({ sub: 'other' })],
  [logoutToken, 'an hour', notifying((before) => ({ ...before, exp: Number(before.iat) + 3600 })), 'warning'],
];

function moduleOf(name: string): PlanModule {
  const module = plans.flatMap(({ modules }) => modules).find((each) => each.name === name);
  if (module === undefined) throw new Error(`no module ${name}`);
  return module;
}

t.test('each fault of a provider is found', async (t) => {
  let fault: Fault = {};
  const provider = await startProvider(t, () => fault);
  for (const [name, title, wrong, result = 'failed'] of rows)
    await t.test(`${name}: ${title}`, async (t) => {
      fault = wrong;
      const verdict = await verdictOf(moduleOf(name), { mode: 'query' }, provider);
      fault = {};
      t.equal(verdict.result, result, verdict.reasons.join('; '));
    });
});
