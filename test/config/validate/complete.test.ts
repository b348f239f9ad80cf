import t from 'tap';
import { loadAuthorizationText } from '../../../src/config/load/load.ts';
import { authorizationBase, type Loose } from '../base-config.ts';

const hash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

function load(change: (config: Loose) => void): Loose {
  const config = authorizationBase();
  change(config);
  const loaded = loadAuthorizationText(JSON.stringify(config));
  return loaded.ok ? loaded.config : loaded.problems;
}

t.test("each key of a client has one name, and its retry window defaults to the file's", async (t) => {
  const { clients } = load((config) => {
    config.tokens = { refresh: { retry_window: '5s' } };
    config.clients = [
      { app_id: 'shop', app_secret: 'shop-secret-of-tests' },
      {
        client_id: 'app',
        redirect_uris: ['com.example.app:/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        retry_window: '0s',
      },
    ];
  });
  t.match(clients, [
    { client_id: 'shop', client_secret: 'shop-secret-of-tests', retry_window: 5000, require_pkce: true },
    { client_id: 'app', retry_window: 0, session: false, redirect_uris: ['com.example.app:/callback'] },
  ]);
  t.notOk('app_id' in clients[0] || 'app_secret' in clients[0]);
});

t.test('a redirect address stays as written', async (t) => {
  const redirect_uris = ['https://App.Example.com:443/a/../b?%7e', 'http://127.0.0.1:3000'];
  const { clients } = load((config) => {
    Object.assign(config.clients[0], { grant_types: ['authorization_code'], redirect_uris });
  });
  t.strictSame(clients[0].redirect_uris, redirect_uris);
});

t.test('the subject of a user is the username by default', async (t) => {
  const { users } = load((config) => {
    config.users = [
      { username: 'alice', password_argon2: hash, claims: { tenant: 'acme' } },
      { username: 'bob', password_argon2: hash, subject: 'u-2' },
    ];
  });
  t.match(users, [
    { subject: 'alice', claims: { tenant: 'acme' } },
    { subject: 'u-2', claims: {} },
  ]);
});

t.test("the sources of claims are split into parts, and a claim's name is never more than a name", async (t) => {
  const { tokens } = load((config) => {
    config.tokens = { access: { claims: { tenant: 'user.tenant', toString: 'client.a.b' } } };
  });
  t.strictSame(Object.entries(tokens.access.claims), [
    ['tenant', { of: 'user', name: 'tenant' }],
    ['toString', { of: 'client', name: 'a.b' }],
  ]);
  t.equal(tokens.access.claims.constructor, undefined);
  t.ok(Object.isFrozen(tokens) && Object.isFrozen(tokens.access.claims));
});
