import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { isOpaqueToken, makeOpaqueToken, tokenPrefixes } from '../../../src/authorization/tokens/opaque-token.ts';
import { isLong } from '../../support/long.ts';
import { run, shop } from '../running-service.ts';

const { accessToken } = tokenPrefixes;
const samples = isLong ? 1_000_000 : 100_000;

t.test(`T23: ${samples} tokens are all different, and in no order`, async (t) => {
  const made = Array.from({ length: samples }, () => makeOpaqueToken(accessToken));
  t.equal(new Set(made).size, samples);
  t.ok(
    made.every((token) => Buffer.from(token.slice(3, 46), 'base64url').length === 32),
    '256 bits each',
  );
  const ascents = made.filter((token, index) => index > 0 && token > (made[index - 1] as string)).length;
  t.ok(Math.abs(ascents / samples - 0.5) < 0.01, `${ascents} ascents`);
});

t.test('T23: the database contains only hashes', async (t) => {
  const service = await run(t);
  const tokens = await Promise.all(Array.from({ length: 20 }, () => service.token()));
  const jwt = await service.token({}, { id: 'shop-jwt', secret: shop.secret });
  const files = readdirSync(service.directory);
  t.ok(files.includes('gatehouse.db') && files.includes('gatehouse.db-wal'));
  const dump = files.map((file) => readFileSync(join(service.directory, file)).toString('latin1')).join();
  t.match(dump, /orders\.read/, 'the dump is one of this database');
  for (const token of [...tokens, jwt]) {
    t.notOk(dump.includes(token));
    t.notOk(dump.includes(token.slice(3, 46)));
    t.notOk(dump.includes(Buffer.from(token.slice(3, 46), 'base64url').toString('latin1')));
  }
  t.notOk(dump.includes(shop.secret));
  t.notOk(dump.includes('PRIVATE KEY'));
});

t.test('the checksum tells a token from random text', async (t) => {
  const token = makeOpaqueToken(accessToken);
  t.ok(isOpaqueToken(token, accessToken));
  t.notOk(isOpaqueToken(`${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`, accessToken));
  t.notOk(isOpaqueToken(token.slice(0, -1), accessToken));
  t.notOk(isOpaqueToken(`${token}0`, accessToken));
});
