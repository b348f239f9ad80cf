import { rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { StorageUnusable } from '../../src/storage/engine/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run, shop } from './running-service.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };
const keysOf = async (url: string) =>
  ((await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: { kid: string; alg: string }[] }).keys;

t.test('two services that start at once on one database end up with one key', async (t) => {
  for (let round = 0; round < 5; round++) {
    const directory = temporaryFolder(t);
    const [one, two] = await Promise.all([run(t, { directory }), run(t, { directory })]);
    t.strictSame(await keysOf(one.url), await keysOf(two.url));
    t.equal((await keysOf(one.url)).length, 1);
    t.equal((await two.introspect(await one.token({}, shopJwt))).active, true);
    t.equal((await one.introspect(await two.token())).active, true);
  }
});

t.test('after a change of signing.alg the old key is still published, and its tokens verify', async (t) => {
  const first = await run(t);
  const token = await first.token({}, shopJwt);
  await first.stop();
  const second = await run(t, { directory: first.directory, config: { signing: { alg: 'EdDSA' } } });
  t.strictSame((await keysOf(second.url)).map(({ alg }) => alg).sort(), ['ES256', 'EdDSA']);
  t.equal((await second.introspect(token)).active, true);
  t.equal((await second.introspect(await second.token({}, shopJwt))).active, true);
});

t.test('encryption keys that cannot open the sealed data are an error at start, in one line', async (t) => {
  const first = await run(t);
  await first.stop();
  const wrong = { encryption_keys: [Buffer.alloc(32, 1).toString('base64')] };
  await t.rejects(run(t, { directory: first.directory, config: wrong }), {
    name: 'StorageUnusable',
    message: /no encryption key opens secret transactions/,
  });
  rmSync(join(first.directory, 'gatehouse.db.key'));
  await t.rejects(run(t, { directory: first.directory }), {
    name: 'StorageUnusable',
    message: /gatehouse\.db\.key is missing/,
  });
  await t.rejects(run(t, { config: { encryption_keys: ['c2hvcnQ='] } }), StorageUnusable);
});

t.test('the first encryption key seals, and every listed one opens', async (t) => {
  const [old, fresh] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];
  const first = await run(t, { config: { encryption_keys: [old] } });
  const token = await first.token({}, shopJwt);
  await first.stop();
  const second = await run(t, { directory: first.directory, config: { encryption_keys: [fresh, old] } });
  t.equal((await second.introspect(token)).active, true);
});
