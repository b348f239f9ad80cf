import { jwtVerify } from 'jose';
import t from 'tap';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { basic, run } from './running-service.ts';

const secret = Buffer.alloc(32, 7);
const signing = { alg: 'HS256', secret_base64url: secret.toString('base64url') } as const;
const shopJwt = { id: 'shop-jwt', secret: 'cs_shop-secret-of-32-bytes-or-so' };

async function publishedKeys(url: string): Promise<readonly { kid: string }[]> {
  return ((await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }).keys;
}

t.test('with HS256 tokens are signed with the secret, introspection knows them, and no key is published', async (t) => {
  const service = await run(t, { config: { signing } });
  const token = await service.token({}, shopJwt);
  const { payload, protectedHeader } = await jwtVerify(token, secret, { algorithms: ['HS256'] });
  t.match(protectedHeader, { alg: 'HS256', typ: 'at+jwt' });
  t.equal(payload.client_id, 'shop-jwt');
  t.equal((await service.introspect(token)).active, true);
  t.strictSame(await publishedKeys(service.url), []);
  t.notMatch(service.logged(), signing.secret_base64url);
});

t.test('after a change to HS256 the previous key is still published, and its tokens are valid', async (t) => {
  const directory = temporaryFolder(t);
  const before = await run(t, { directory });
  const token = await before.token({}, shopJwt);
  const keys = await publishedKeys(before.url);
  await before.stop();
  const after = await run(t, { directory, config: { signing } });
  t.strictSame(await publishedKeys(after.url), keys);
  t.equal((await after.introspect(token)).active, true);
  const response = await after.post('/oauth2/token', { grant_type: 'client_credentials' }, basic(shopJwt));
  t.equal(response.status, 200);
});
