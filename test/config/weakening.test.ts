import t from 'tap';
import { loadAuthorizationText } from '../../src/config/load/load.ts';

const base = {
  version: 1,
  issuer: 'https://auth.example.com',
  resources: ['https://api.example.com'],
  scopes: { read: 'Read' },
};

const web = {
  client_id: 'web',
  client_secret: 'cs_a-secret-of-32-bytes-or-more-here',
  scope: 'read',
  grant_types: ['authorization_code'],
  redirect_uris: ['https://web.example.com/callback'],
};

function problems(changes: object) {
  const loaded = loadAuthorizationText(JSON.stringify({ ...base, ...changes }));
  return loaded.ok ? { refused: false, said: loaded.warnings } : { refused: true, said: loaded.problems };
}

const refused: [title: string, changes: object][] = [
  ['an http issuer beyond this machine', { issuer: 'http://auth.example.com' }],
  ['a code that lives longer than five minutes', { tokens: { code: { ttl: '301s' } } }],
  ['a redirect address with a wildcard', { clients: [{ ...web, redirect_uris: ['https://*.example.com/cb'] }] }],
  ['a redirect address over http', { clients: [{ ...web, redirect_uris: ['http://web.example.com/cb'] }] }],
  ['a plain challenge', { clients: [{ ...web, code_challenge_methods: ['plain'] }] }],
  ['a public client without PKCE', { clients: [{ ...web, client_secret: undefined, require_pkce: false }] }],
  ['a refresh token that ends before the access token', { tokens: { refresh: { ttl: '30m' } } }],
  ['a plain password of a user', { users: [{ username: 'alice', password: 'wonderland' }] }],
];

const warned: [title: string, changes: object][] = [
  ['an access token that lives longer than a day', { tokens: { access: { ttl: '25h' } } }],
  ['the password grant', { clients: [{ ...web, grant_types: ['password'] }] }],
  ['the implicit grant', { clients: [{ ...web, grant_types: ['implicit'] }] }],
  ['a confidential client without PKCE', { clients: [{ ...web, require_pkce: false }] }],
  ['a short secret', { clients: [{ ...web, client_secret: 'short' }] }],
];

t.test('T44: a setting that is too weak is rejected at load', async (t) => {
  t.equal(problems({ clients: [web] }).refused, false, 'the same without it is not');
  for (const [title, changes] of refused) t.equal(problems(changes).refused, true, title);
});

t.test('T44: a setting that weakens security causes a warning at load', async (t) => {
  t.strictSame(problems({ clients: [web] }).said, []);
  for (const [title, changes] of warned) {
    const { refused: isRefused, said } = problems(changes);
    t.equal(isRefused, false, title);
    t.ok(said.length > 0, title);
  }
});
