import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { signingKey } from '../../support/keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import {
  type HeldClock,
  heldClock,
  type Issuer,
  inAWord,
  openIssuer,
  openVerifiers,
  publish,
  settings,
} from '../issuer.ts';

async function opened(t: Test, changes: Parameters<typeof settings>[1] = {}) {
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const verifiers = openVerifiers(
    t,
    { main: settings(issuer.url, { verify: 'jwt', events: 'none', ...changes }) },
    { clock },
  );
  return { clock, issuer, verifiers, verify: verifiers.verifier(['main']) };
}

/** The lines of the log, without those about the feed. */
function aboutKeys({ log }: ReturnType<typeof openVerifiers>) {
  return log.filter(({ text }) => !text.includes('revocation feed'));
}

t.test('a cold start without keys is an outage, and ends with the first good answer', async (t) => {
  const { clock, issuer, verify } = await opened(t);
  issuer.endpoint.misbehave((_request, response) => response.writeHead(503).end());
  t.match(await verify(await issuer.sign()), {
    kind: 'outage',
    dependency: 'authorization_servers.main',
    retryAfter: Number,
  });
  const calls = issuer.endpoint.calls.length;
  t.equal(inAWord(await verify(await issuer.sign())), 'outage');
  t.equal(issuer.endpoint.calls.length, calls, 'not asked again at once');
  issuer.endpoint.recover();
  clock.advance(1_001);
  t.equal(inAWord(await verify(await issuer.sign())), 'miss');
});

t.test('concurrent requests of a cold start share one fetch', async (t) => {
  const { issuer, verify } = await opened(t);
  const tokens = await Promise.all(Array.from({ length: 50 }, (_, n) => issuer.sign({ jti: `${n}` })));
  const words = (await Promise.all(tokens.map(verify))).map(inAWord);
  t.strictSame(new Set(words), new Set(['miss']));
  t.equal(issuer.calls('/jwks'), 1);
  t.equal(issuer.calls('well-known'), 1);
});

t.test('a rotation with overlap causes no refusal', async (t) => {
  const { issuer, verify } = await opened(t);
  const before = await issuer.sign();
  t.equal(inAWord(await verify(before)), 'miss');
  issuer.keys = await publish('ES256', 'EdDSA');
  const crowd = await Promise.all(
    Array.from({ length: 100 }, (_, n) => issuer.sign({ jti: `${n}` }, { alg: n % 2 === 0 ? 'EdDSA' : 'ES256' })),
  );
  const words = (await Promise.all(crowd.map(verify))).map(inAWord);
  t.strictSame(new Set(words), new Set(['miss']));
  t.equal(inAWord(await verify(before)), 'hit');
  t.equal(issuer.calls('/jwks'), 2);
});

t.test('10,000 unknown kids cause a few fetches, and valid tokens are not affected', async (t) => {
  const { clock, issuer, verify } = await opened(t);
  const good = await issuer.sign();
  await verify(good);
  const forged = good.split('.').slice(1).join('.');
  for (let n = 0; n < 10_000; n++) {
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: `kid-${n}` })).toString('base64url');
    t.equal(inAWord(await verify(`${header}.${forged}`)) === 'token_signature', true);
    clock.advance(6);
    if (n % 1000 === 0) t.equal(inAWord(await verify(good)), 'hit');
  }
  t.ok(issuer.calls('/jwks') <= 7, `${issuer.calls('/jwks')} fetches in a minute`);
});

t.test('a kid that the server did not have is not requested after each cooldown', async (t) => {
  const { clock, issuer, verify } = await opened(t);
  await verify(await issuer.sign());
  for (let n = 0; n < 5; n++) {
    t.equal(inAWord(await verify(await issuer.sign({}, { header: { kid: 'gone' } }))), 'token_signature');
    clock.advance(10_000);
  }
  t.equal(issuer.calls('/jwks'), 2);
  clock.advance(20_000);
  await verify(await issuer.sign({}, { header: { kid: 'gone' } }));
  t.equal(issuer.calls('/jwks'), 3);
});

t.test('a server whose kids are addresses may rotate to another address', async (t) => {
  const { issuer, verify } = await opened(t);
  const { jwk } = await signingKey('ES256');
  const kid = (n: number) => `https://vault.example/keys/${n}`;
  issuer.keys = { keys: [{ ...jwk, kid: kid(1) }] };
  t.equal(inAWord(await verify(await issuer.sign({}, { header: { kid: kid(1) } }))), 'miss');
  issuer.keys = { keys: [{ ...jwk, kid: kid(2) }] };
  t.equal(inAWord(await verify(await issuer.sign({}, { header: { kid: kid(2) } }))), 'miss');
});

t.test('a token without kid is verified with the key for its algorithm', async (t) => {
  const { issuer, verify } = await opened(t);
  issuer.keys = await publish('RS256', 'ES256', 'EdDSA');
  t.equal(inAWord(await verify(await issuer.sign({}, { header: { kid: undefined } }))), 'miss');
});

t.test('the last good keys are used for stale_if_error, and then no longer, cached or not', async (t) => {
  const { clock, issuer, verifiers, verify } = await opened(t, { jwks: { ttl: 60_000, stale_if_error: 600_000 } });
  const token = await issuer.sign({ exp: clock.now() / 1000 + 80_000 });
  await verify(token);
  await issuer.endpoint.down();
  clock.advance(659_999);
  t.equal(inAWord(await verify(token)), 'hit');
  t.equal(inAWord(await verify(await issuer.sign())), 'miss');
  clock.advance(1);
  t.equal(inAWord(await verify(token)), 'outage');
  t.notOk(verifiers.ready());
  t.equal([...verifiers.stats()][0]?.jwks_age_seconds, 660);
});

t.test('an unknown kid while the keys are unavailable is an outage, because it may be a new key', async (t) => {
  const { issuer, verify } = await opened(t);
  await verify(await issuer.sign());
  await issuer.endpoint.down();
  t.equal(inAWord(await verify(await issuer.sign({}, { header: { kid: 'new' } }))), 'outage');
  t.equal(inAWord(await verify(await issuer.sign())), 'miss');
});

async function until(met: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!met() && performance.now() < end) await new Promise((done) => setTimeout(done, 20));
}

t.test('keys are fetched again in the background, and sooner after a failure', async (t) => {
  const { issuer, verifiers, verify } = await opened(t, { jwks: { ttl: 200, cooldown: 100 } });
  await verifiers.start();
  await until(() => issuer.calls('/jwks') >= 2);
  issuer.endpoint.misbehave((_request, response) => response.writeHead(500).end());
  await until(() => verifiers.log.some((line) => line.text.includes('status 500')));
  t.equal(inAWord(await verify(await issuer.sign())), 'miss', 'nobody waits');
  issuer.endpoint.recover();
  const ofKeys = () => aboutKeys(verifiers);
  await until(() => ofKeys().some((line) => line.level === 'info'));
  t.strictSame(
    ofKeys().map((line) => line.level),
    ['warn', 'info'],
    'each change is told once',
  );
});

async function refusesWhole(
  issuer: Issuer,
  clock: HeldClock,
  verify: (token: string) => unknown,
  fault: string,
): Promise<void> {
  issuer.endpoint.misbehave((request, response) => {
    if (request.url !== '/jwks')
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(issuer.metadata));
    else hostile[fault]?.(response, issuer);
  });
  clock.advance(11_000);
  await verify(await issuer.sign({}, { header: { kid: `new-${fault}`.replaceAll(/[^a-z]/g, '') } }));
}

const hostile: Record<string, (response: import('node:http').ServerResponse, issuer: Issuer) => void> = {
  '10,000 keys': (response, { keys }) =>
    response.end(JSON.stringify({ keys: Array(10_000).fill((keys as { keys: unknown[] }).keys[0]) })),
  'five megabytes': (response, { keys }) =>
    response.end(JSON.stringify({ ...(keys as object), pad: 'x'.repeat(5_000_000) })),
  HTML: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  gzip: (response, { keys }) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(keys))),
  'only a secret': (response) => response.end('{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"key-ES256"}]}'),
  'no keys': (response) => response.end('{"keys":[]}'),
  'no set': (response) => response.end('[]'),
  'a redirect': (response) => response.writeHead(302, { location: '/jwks2' }).end(),
  'keys named twice': (response, { keys }) => response.end(`{"keys":[],${JSON.stringify(keys).slice(1)}`),
};

t.test('a hostile key set changes nothing: the last good one stays', async (t) => {
  const { clock, issuer, verifiers, verify } = await opened(t);
  await verify(await issuer.sign());
  for (const fault of Object.keys(hostile)) {
    await refusesWhole(issuer, clock, verify, fault);
    t.equal(inAWord(await verify(await issuer.sign({ fault }))), 'miss', fault);
    t.equal(verifiers.log.at(-1)?.level, 'warn', fault);
  }
});

t.test('the valid keys of a mixed key set are used, and the log lists the others', async (t) => {
  const { issuer, verifiers, verify } = await opened(t, { algorithms: ['ES256', 'RS256'] });
  const { keys } = await publish('ES256', 'EdDSA');
  issuer.keys = {
    keys: [...keys, { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' }, { ...keys[0], kid: 'private', d: 'AA' }, 7],
  };
  t.equal(inAWord(await verify(await issuer.sign())), 'miss');
  t.match(aboutKeys(verifiers), [{ level: 'warn', text: /secret.*private/ }]);
  t.notMatch(aboutKeys(verifiers)[0]?.text, /c2VjcmV0/);
});

t.test('keys from a file: replaced, moved by a symbolic link, broken and deleted', async (t) => {
  const directory = temporaryFolder(t);
  const write = async (name: string, ...algs: Parameters<typeof publish>) =>
    writeFileSync(join(directory, name), JSON.stringify(await publish(...algs)));
  await write('one.json', 'ES256');
  await write('two.json', 'EdDSA');
  symlinkSync('one.json', join(directory, 'keys.json'));
  const clock = heldClock();
  const issuer = await openIssuer(t, clock);
  const config = settings(issuer.url, {
    ...{ verify: 'jwt', events: 'none' },
    ...{ jwks_file: 'keys.json', jwks: { stale_if_error: 60_000 } },
  });
  const verifiers = openVerifiers(t, { main: config }, { clock, directory });
  const verify = verifiers.verifier(['main']);
  const old = await issuer.sign();
  t.equal(inAWord(await verify(old)), 'miss');
  symlinkSync('two.json', join(directory, 'next'));
  renameSync(join(directory, 'next'), join(directory, 'keys.json'));
  await until(() => inAWord(verify(old) as never) !== 'hit');
  t.equal(inAWord(await verify(old)), 'token_signature', 'the key is gone without anybody asking');
  t.equal(inAWord(await verify(await issuer.sign({}, { alg: 'EdDSA' }))), 'miss');
  writeFileSync(join(directory, 'two.json'), '{"keys":[{"kty":');
  await until(() => aboutKeys(verifiers).length > 0);
  t.equal(inAWord(await verify(await issuer.sign({ n: 1 }, { alg: 'EdDSA' }))), 'miss', 'half a file changes nothing');
  rmSync(join(directory, 'two.json'));
  await until(() => aboutKeys(verifiers).length > 1);
  t.match(verifiers.log.at(-1), { level: 'warn', text: /ENOENT/ });
  t.equal(issuer.endpoint.calls.length, 0);
});
