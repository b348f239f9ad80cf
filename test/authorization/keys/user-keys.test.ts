import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeJwt, importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import t from 'tap';
import { systemClock } from '../../../src/base/clock.ts';
import { openRecords } from '../../../src/storage/open.ts';
import type { Records } from '../../../src/storage/records/records.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { refresh, refreshed, type TokenAnswer } from '../grant-flow.ts';
import { basic, run, shop, web } from '../running-service.ts';
import { askKey, jwtOf, kidOf, publishedKey, rotate, runWithUserKeys, webJwt, withClient } from '../user-key-flow.ts';

const shopJwt = { id: 'shop-jwt', secret: shop.secret };
const issuer = 'http://localhost:8081';

const jwks = async (url: string) =>
  ((await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: readonly { kid: string }[] }).keys;
const metadata = async (url: string) =>
  (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<string, unknown>;

t.test('without user_keys a user has no key: no member, no endpoint, tokens of the issuer', async (t) => {
  const service = await run(t);
  const { access_token } = await jwtOf(service);
  t.strictSame(
    (await jwks(service.url)).map(({ kid }) => kid),
    [kidOf(access_token)],
  );
  t.notOk('user_key_uri_template' in (await metadata(service.url)));
  t.equal((await askKey(service, 'A'.repeat(22))).status, 404);
});

for (const alg of ['ES256', 'EdDSA', 'RS256'] as const)
  t.test(`${alg}: a user's JWT is signed with a key of that user, named by kid and bound to the user`, async (t) => {
    const service = await runWithUserKeys(t, { config: { signing: { alg } } });
    const [alice, again, bob] = [await jwtOf(service), await jwtOf(service), await jwtOf(service, 'bob')];
    const kid = kidOf(alice.access_token);
    t.match(kid, /^[A-Za-z0-9_-]{22}$/);
    t.equal(kidOf(again.access_token), kid, 'as long as it is not rotated');
    t.not(kidOf(bob.access_token), kid);
    const template = String((await metadata(service.url)).user_key_uri_template);
    t.equal(template, `${issuer}/oauth2/keys/{kid}`);
    const answer = await fetch(template.replace('{kid}', kid).replace(issuer, service.url), {
      headers: { origin: 'https://anywhere.example.com' },
    });
    t.equal(answer.headers.get('cache-control'), 'public, max-age=30');
    t.equal(answer.headers.get('access-control-allow-origin'), '*');
    t.match(answer.headers.get('content-type'), /^application\/json/);
    const { keys, ...rest } = (await answer.json()) as { keys: readonly Record<string, unknown>[] };
    t.strictSame(rest, {});
    t.equal(keys.length, 1);
    const [key] = keys;
    const sub_hash = createHash('sha256').update(`${issuer}\nalice`).digest('base64url');
    t.match(key, { kid, alg, use: 'sig', sub_hash });
    t.strictSame(
      ['d', 'p', 'q', 'k', 'dp', 'dq', 'qi', 'sub'].filter((name) => name in (key ?? {})),
      [],
    );
    const verified = await jwtVerify(alice.access_token, await importJWK(key ?? {}, alg), { issuer });
    t.equal(verified.payload.sub, 'alice');
    t.match(await service.introspect(alice.access_token), { active: true, sub: 'alice', client_id: 'web-jwt' });
  });

t.test(
  "a client that acts for itself gets the issuer's tokens, and the issuer's key set has no user key",
  async (t) => {
    const service = await runWithUserKeys(t);
    const own = await service.token({}, shopJwt);
    const { access_token } = await jwtOf(service);
    const kids = (await jwks(service.url)).map(({ kid }) => kid);
    t.strictSame(kids, [kidOf(own)]);
    t.notOk(kids.includes(kidOf(access_token)));
    t.equal((await askKey(service, kidOf(own))).status, 404, 'nor is the key of the issuer among those of users');
    await rotate(service);
    t.equal((await service.introspect(own)).active, true);
  },
);

t.test("a rotation ends one user's JWTs, at introspection and by the key, and nobody else's", async (t) => {
  const service = await runWithUserKeys(t);
  const [alice, bob] = [await jwtOf(service), await jwtOf(service, 'bob')];
  const kid = kidOf(alice.access_token);
  t.strictSame(await rotate(service), [kid]);
  t.strictSame(await service.introspect(alice.access_token), { active: false });
  const gone = await askKey(service, kid);
  t.strictSame([gone.status, gone.headers.get('cache-control')], [404, 'no-store']);
  t.equal((await service.introspect(bob.access_token)).active, true);
  const next = await refreshed(service, alice.refresh_token, {}, webJwt);
  t.not(kidOf(next.access_token), kid);
  t.equal((await service.introspect(next.access_token)).active, true);
  const form = { token: alice.access_token };
  t.equal((await service.post('/oauth2/revoke', form, basic(webJwt))).status, 200, 'as any unknown token');
  await service.post('/oauth2/revoke', { token: next.access_token }, basic(webJwt));
  t.strictSame(await service.introspect(next.access_token), { active: false }, 'one that lives is revoked as ever');
});

async function privateJwk(records: Records, kid: string) {
  const record = await records.findUserKey(kid);
  return JSON.parse(Buffer.from(record?.openPrivateJwk() ?? []).toString());
}

t.test("a user's key signs only for that user and only with its algorithm (RFC 8725 §3.1)", async (t) => {
  const service = await runWithUserKeys(t);
  const [alice, bob] = [await jwtOf(service), await jwtOf(service, 'bob')];
  const { records, keys } = service.service;
  const [kid, kidOfBob] = [kidOf(alice.access_token), kidOf(bob.access_token)];
  const claims = decodeJwt(alice.access_token);
  const jwk = await privateJwk(records, kid);
  const key = await importJWK(jwk, 'ES256');
  const sign = (payload: JWTPayload, header: object = {}, by: Parameters<SignJWT['sign']>[0] = key) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header }).sign(by);
  const activeOf = async (token: Promise<string>) => (await service.introspect(await token)).active;
  t.equal(await activeOf(sign(claims)), true, 'as the service signs');
  t.equal(await activeOf(sign({ ...claims, sub: 'bob' })), false, 'for another user');
  t.equal(await activeOf(sign({ ...claims, sub: 'shop-jwt', client_id: 'shop-jwt' })), false, 'for a client');
  t.equal(await activeOf(sign(claims, { kid: kidOfBob })), false, 'under the name of another key');
  t.equal(await activeOf(sign({ ...claims, sub: 'bob' }, { kid: kidOfBob })), false, 'of another user too');
  const [ofIssuer] = keys.current.jwks.keys;
  t.equal(await activeOf(sign(claims, { kid: ofIssuer?.kid })), false, 'under that of the issuer');
  t.equal(await activeOf(sign(claims, { kid: undefined })), false, 'under none');
  const published = JSON.stringify(await publishedKey(service, kid));
  const hmac = (text: string) => sign(claims, { alg: 'HS256' }, Buffer.from(text));
  t.equal(await activeOf(hmac(published)), false, 'with what is public as a secret');
  t.equal(await activeOf(keys.current.signer.sign('at+jwt', claims)), true, 'the issuer itself can sign for a user');
});

t.test("a user's private key is not readable in the database files, and opens only in its own place", async (t) => {
  const service = await runWithUserKeys(t);
  const [kid, kidOfBob] = [
    kidOf((await jwtOf(service)).access_token),
    kidOf((await jwtOf(service, 'bob')).access_token),
  ];
  const { d } = await privateJwk(service.service.records, kid);
  await service.stop();
  const files = ['gatehouse.db', 'gatehouse.db-wal'].flatMap((name) => {
    try {
      return [readFileSync(join(service.directory, name))];
    } catch {
      return [];
    }
  });
  t.ok(
    files.some((file) => file.includes(kid)),
    'the key itself is there',
  );
  for (const file of files)
    for (const secret of [Buffer.from(d), Buffer.from(d, 'base64url')]) t.notOk(file.includes(secret));
  const database = new DatabaseSync(join(service.directory, 'gatehouse.db'), { timeout: 5_000 });
  database
    .prepare('UPDATE user_key SET private_jwk = (SELECT private_jwk FROM user_key WHERE kid = ?) WHERE kid = ?')
    .run(kid, kidOfBob);
  database.close();
  const again = await openRecords('sqlite:gatehouse.db', { directory: service.directory, clock: systemClock });
  t.teardown(() => again.close());
  const moved = await again.findUserKey(kidOfBob);
  t.throws(() => moved?.openPrivateJwk(), { name: 'StorageUnusable', message: /damaged or not the value/ });
});

t.test('a malformed key name is refused without a look-up, and other methods get 405', async (t) => {
  const { records, reads } = await countingRecords(temporaryFolder(t));
  const service = await runWithUserKeys(t, { records });
  for (const kid of ['A'.repeat(21), 'A'.repeat(23), 'A'.repeat(43), `${'A'.repeat(21)}%00`, `${'A'.repeat(21)}.`, '%'])
    t.ok([400, 404].includes((await askKey(service, kid)).status), kid);
  t.equal(reads(), 0);
  const unknown = await askKey(service, 'A'.repeat(22));
  t.equal(unknown.status, 404);
  t.match(await unknown.json(), {
    error: 'invalid_request',
    error_description: /The key does not exist or was removed/,
  });
  t.equal(reads(), 1);
  const posted = await service.post(`/oauth2/keys/${'A'.repeat(22)}`, {});
  t.strictSame([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  t.equal((await fetch(`${service.url}/oauth2/keys`)).status, 404);
});

async function countingRecords(directory: string) {
  const records = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  let count = 0;
  const findUserKeys: Records['findUserKeys'] = (kids) => {
    count++;
    return records.findUserKeys(kids);
  };
  return { records: { ...records, findUserKeys }, reads: () => count };
}

t.test('in a flood of invented names many share one look-up, and real keys are still found', async (t) => {
  const { records, reads } = await countingRecords(temporaryFolder(t));
  // as slow as a busy database
  const findUserKeys: Records['findUserKeys'] = async (kids) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return records.findUserKeys(kids);
  };
  const service = await runWithUserKeys(t, { records: { ...records, findUserKeys } });
  const kid = kidOf((await jwtOf(service)).access_token);
  const made = (index: number) => createHash('sha256').update(`${index}`).digest('base64url').slice(0, 22);
  const flood = Array.from({ length: 600 }, (_, index) => askKey(service, made(index % 400)));
  const real = await Promise.all(Array.from({ length: 5 }, () => publishedKey(service, kid)));
  t.ok(real.every((key) => key.kid === kid));
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  t.strictSame([...new Set(statuses)], [404]);
  t.ok(reads() < 200, `${reads()} looks for 600 requests`);
});

t.test('a token that was signed before a rotation is not issued after it', async (t) => {
  const directory = temporaryFolder(t);
  const opened = await openRecords('sqlite:gatehouse.db', { directory, clock: systemClock });
  let rotations = 0;
  const afterRotation =
    <Given extends readonly unknown[], Outcome>(verb: (...given: Given) => Promise<Outcome>) =>
    async (...given: Given) => {
      if (rotations-- > 0) await opened.rotateUserKey({ subject: 'alice', until: 9e9, now: 8e9 });
      return verb(...given);
    };
  const records: Records = {
    ...opened,
    redeemCode: afterRotation(opened.redeemCode),
    rotateRefreshToken: afterRotation(opened.rotateRefreshToken),
    saveTokens: afterRotation(opened.saveTokens),
  };
  const clients = withClient('web-jwt', { grant_types: ['authorization_code', 'refresh_token', 'password'] });
  const service = await runWithUserKeys(t, { records, config: { clients } });
  const live = async ({ access_token }: TokenAnswer, what: string) =>
    t.equal((await service.introspect(access_token)).active, true, what);
  rotations = 2;
  const first = await jwtOf(service);
  await live(first, 'of a code');
  rotations = 2;
  await live(await refreshed(service, first.refresh_token, {}, webJwt), 'of a refresh');
  rotations = 2;
  const form = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  await live((await (await service.post('/oauth2/token', form, basic(webJwt))).json()) as TokenAnswer, 'of a password');
  rotations = 100;
  const refused = await service.post('/oauth2/token', form, basic(webJwt));
  t.strictSame([refused.status, refused.headers.get('retry-after')], [503, '1'], 'rather than a dead token');
});

t.test('a repeated answer contains no token of a key that was rotated since', async (t) => {
  const service = await runWithUserKeys(t, { config: { clients: withClient('web-jwt', { retry_window: 30_000 }) } });
  const { refresh_token } = await jwtOf(service);
  const once = await refreshed(service, refresh_token, {}, webJwt);
  t.strictSame((await refreshed(service, refresh_token, {}, webJwt)).access_token, once.access_token);
  await rotate(service);
  const again = await refreshed(service, refresh_token, {}, webJwt);
  t.equal(again.refresh_token, once.refresh_token);
  t.not(kidOf(again.access_token), kidOf(once.access_token));
  t.strictSame(decodeJwt(again.access_token), decodeJwt(once.access_token), 'the same token, signed anew');
  t.equal((await service.introspect(again.access_token)).active, true);
});

t.test("a reused refresh token ends the user's JWTs immediately", async (t) => {
  const clock = { now: () => Date.now() + ahead, monotonic: () => performance.now() };
  let ahead = 0;
  const service = await runWithUserKeys(t, { clock });
  const { refresh_token } = await jwtOf(service);
  const other = await jwtOf(service);
  await refreshed(service, refresh_token, {}, webJwt);
  t.equal((await refresh(service, refresh_token, {}, webJwt)).status, 400);
  t.equal((await service.introspect(other.access_token)).active, true, 'within the leeway nothing ends');
  ahead = 60_000;
  t.equal((await refresh(service, refresh_token, {}, webJwt)).status, 400);
  t.equal((await askKey(service, kidOf(other.access_token))).status, 404);
  t.strictSame(await service.introspect(other.access_token), { active: false });
});

const secret_base64url = Buffer.alloc(32, 7).toString('base64url');
const hs256 = { alg: 'HS256', secret_base64url } as const;
const reader = { id: 'gateway', secret: 'cs_gateway-secret-of-32-bytes' };

t.test("HS256: a user's secret is only for clients with `keys: true`", async (t) => {
  const service = await runWithUserKeys(t, {
    config: { signing: hs256, clients: withClient('gateway', { keys: true, introspect: true }) },
  });
  const { access_token } = await jwtOf(service);
  const kid = kidOf(access_token);
  t.equal((await askKey(service, kid)).status, 401);
  t.equal((await askKey(service, kid, basic({ ...reader, secret: 'wrong' }))).status, 401);
  t.equal((await askKey(service, kid, basic(web))).status, 403);
  const found = await askKey(service, kid, { ...basic(reader), origin: 'https://shop.example.com' });
  t.equal(found.headers.get('cache-control'), 'private, max-age=30');
  t.equal(found.headers.get('access-control-allow-origin'), null, 'no page reads it');
  const key = await publishedKey(service, kid, basic(reader));
  t.match(key, { kty: 'oct', kid, alg: 'HS256', use: 'sig' });
  t.equal(Buffer.from(key.k ?? '', 'base64url').length, 32);
  t.not(key.k, secret_base64url);
  t.ok(await jwtVerify(access_token, Buffer.from(key.k ?? '', 'base64url')));
  t.equal((await service.introspect(access_token)).active, true);
  const bob = await publishedKey(service, kidOf((await jwtOf(service, 'bob')).access_token), basic(reader));
  t.not(bob.k, key.k);
  await rotate(service);
  t.equal((await askKey(service, kid, basic(reader))).status, 404);
  t.strictSame(await service.introspect(access_token), { active: false });
});

t.test('HS256: a secret is sent over TLS or on this machine, not through an untrusted proxy', async (t) => {
  const clients = withClient('gateway', { keys: true });
  const direct = await runWithUserKeys(t, { config: { signing: hs256, clients } });
  const kid = kidOf((await jwtOf(direct)).access_token);
  const through = (service: typeof direct, name: string, headers: Record<string, string>) =>
    askKey(service, name, { ...basic(reader), ...headers }).then(({ status }) => status);
  t.equal(await through(direct, kid, {}), 200);
  for (const headers of [{ 'x-forwarded-proto': 'https' }, { via: '1.1 proxy' }, { forwarded: 'proto=https' }])
    t.equal(await through(direct, kid, headers), 403, JSON.stringify(headers));
  const proxied = await runWithUserKeys(t, { config: { signing: hs256, clients, trusted_proxies: ['127.0.0.1/32'] } });
  const other = kidOf((await jwtOf(proxied)).access_token);
  const from = { 'x-forwarded-for': '192.0.2.7' };
  t.equal(await through(proxied, other, { ...from, 'x-forwarded-proto': 'https' }), 200);
  t.equal(await through(proxied, other, { ...from, 'x-forwarded-proto': 'http' }), 403);
  t.equal(await through(proxied, other, from), 403);
});

t.test("HS256: the issuer's secret, which every verifier has, cannot sign for a user", async (t) => {
  const service = await runWithUserKeys(t, { config: { signing: hs256 } });
  const claims = decodeJwt((await jwtOf(service)).access_token);
  const forged = (payload: JWTPayload) =>
    new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(Buffer.alloc(32, 7));
  t.strictSame(await service.introspect(await forged(claims)), { active: false });
  const own = decodeJwt(await service.token({}, shopJwt));
  t.equal((await service.introspect(await forged(own))).active, true, 'for a client as ever');
});

t.test('secrets that were created with HS256 are not published when keys become public', async (t) => {
  const first = await runWithUserKeys(t, { config: { signing: hs256 } });
  const kid = kidOf((await jwtOf(first)).access_token);
  await first.stop();
  const second = await runWithUserKeys(t, { directory: first.directory });
  t.ok(await second.service.records.findUserKey(kid));
  t.equal((await askKey(second, kid)).status, 404);
  const { access_token } = await jwtOf(second);
  t.not(kidOf(access_token), kid);
  t.equal((await askKey(second, kidOf(access_token))).status, 200);
});
