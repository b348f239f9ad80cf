import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { DigestSession, type UpstreamNonce } from '../../../src/gateway/upstreams/digest-session.ts';
import { parseDigest } from '../../../src/http-auth/digest.ts';
import { random } from '../../support/random.ts';

const config = {
  username: 'legacy',
  password: 'p',
  algorithms: ['SHA-256', 'MD5'],
  qop: ['auth', 'auth-int'],
  userhash: true,
  cnonce: 'request',
} satisfies ConstructorParameters<typeof DigestSession>[0];

const line = (nonce: string, more = '') => `Digest realm="r", nonce="${nonce}", qop="auth", algorithm=SHA-256${more}`;
const request = { method: 'GET', target: '/', qop: 'auth' } as const;

function sent(nonce: UpstreamNonce): { nonce: string; nc: string | undefined; cnonce: string | undefined } {
  const parsed = parseDigest(nonce.answer(request).authorization);
  if (parsed.kind !== 'credentials') throw new Error(parsed.kind);
  const { protection, cnonce } = parsed.credentials;
  return { nonce: parsed.credentials.nonce, nc: protection?.nc, cnonce };
}

function read(session: DigestSession, nonce: string): UpstreamNonce {
  const opened = session.read([line(nonce)]);
  if (opened === undefined) throw new Error('not read');
  return opened;
}

t.test('no count is ever sent twice with a nonce, and a nonce counts from one without a gap', async (t) => {
  for (let seed = 1; seed <= 40; seed++) {
    const { below, pick } = random(seed);
    const session = new DigestSession(config);
    const held: UpstreamNonce[] = [];
    const seen = new Map<string, number[]>();
    // An upstream that repeats the same few nonces, in challenges or as nextnonce.
    for (let step = 0; step < 400; step++) {
      const name = `n${below(12)}`;
      const acts = [
        () => held.push(read(session, name)),
        () => session.adopt(read(session, name)),
        () => session.current && session.prove(session.current),
        () => session.current && session.follow(session.current, name),
        () => session.current && session.drop(session.current),
      ];
      pick(acts)();
      for (const nonce of [session.current, held.length > 0 ? pick(held) : undefined]) {
        if (nonce === undefined) continue;
        const { nonce: used, nc = '' } = sent(nonce);
        seen.set(used, [...(seen.get(used) ?? []), Number.parseInt(nc, 16)]);
      }
    }
    for (const counts of seen.values())
      t.strictSame(
        counts,
        counts.map((_, index) => index + 1),
        `seed ${seed}`,
      );
  }
});

t.test('a nonce in use keeps its count however many others arrive', async (t) => {
  const session = new DigestSession(config);
  const kept = read(session, 'kept');
  session.adopt(kept);
  sent(kept);
  for (let index = 0; index < 3000; index++) sent(read(session, `other-${index}`));
  t.equal(sent(kept).nc, '00000002');
});

t.test('all waiting requests share one challenge request, and the next one comes after a failure', async (t) => {
  const session = new DigestSession(config);
  let asked = 0;
  const ask = async () => {
    asked++;
    if (asked === 1) throw new Error('away');
    return [line('n')];
  };
  const failed = await Promise.allSettled([session.learn(ask, () => 0), session.learn(ask, () => 0)]);
  t.strictSame([asked, failed.map(({ status }) => status)], [1, ['rejected', 'rejected']]);
  await Promise.all([session.learn(ask, () => 0), session.learn(ask, () => 0)]);
  t.equal(asked, 2);
  t.equal(session.current?.offer.nonce, 'n');
});

t.test('an upstream without a challenge gets no challenge request for ten seconds', async (t) => {
  const session = new DigestSession(config);
  await session.learn(
    async () => undefined,
    () => 1000,
  );
  t.strictSame([session.isQuiet(1000), session.isQuiet(10_999), session.isQuiet(11_000)], [true, true, false]);
});

t.test('a cnonce is new for each request', async (t) => {
  const nonce = read(new DigestSession(config), 'n');
  t.equal(new Set(Array.from({ length: 50 }, () => sent(nonce).cnonce)).size, 50);
});

t.test('a request that waits for a challenge without an answer uses one that others got in the meantime', async (t) => {
  const session = new DigestSession(config);
  let asked = 0;
  const ask = () => (++asked === 1 ? new Promise<never>(() => {}) : Promise.resolve([line('n')]));
  // Nothing else keeps the process alive.
  const alive = setInterval(() => {}, 1000);
  t.teardown(() => clearInterval(alive));
  void session.learn(ask, () => 0);
  const first = session.learn(ask, () => 0);
  await pause(200);
  const second = session.learn(ask, () => 0);
  await Promise.all([first, second]);
  t.equal(asked, 2, 'the second has no question of its own');
  t.ok(session.current);
});
