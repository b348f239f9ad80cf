import t from 'tap';
import { type AlgorithmName, algorithmNames } from '../../src/jwt/algorithms.ts';
import { importKeys, type VerificationKey } from '../../src/jwt/keys.ts';
import type { OnLoop } from '../../src/jwt/on-loop.ts';
import { importSecret } from '../../src/jwt/secret-keys.ts';
import { TurnBudget } from '../../src/jwt/turn-budget.ts';
import { verifySignature } from '../../src/jwt/verify.ts';
import { sign } from './tokens.ts';
import { keysFor, parsed } from './ways.ts';

const places: Readonly<Record<AlgorithmName, 'loop' | 'budget' | 'thread'>> = {
  EdDSA: 'thread',
  Ed25519: 'thread',
  ES256: 'budget',
  ES384: 'thread',
  ES512: 'thread',
  RS256: 'budget',
  RS384: 'budget',
  RS512: 'budget',
  PS256: 'thread',
  PS384: 'thread',
  PS512: 'thread',
  HS256: 'loop',
  HS384: 'loop',
  HS512: 'loop',
};

t.test('each algorithm is verified in the place that its row names', async (t) => {
  for (const alg of algorithmNames) {
    const [key] = await keysFor(alg);
    const place = key?.onLoop === undefined ? 'thread' : key.onLoop.cost === 0 ? 'loop' : 'budget';
    t.equal(place, places[alg], alg);
  }
});

/** The signature of another payload. */
async function goodAndBad(alg: AlgorithmName) {
  const [good, other] = [parsed(await sign({ sub: 'alice' }, { alg })), parsed(await sign({ sub: 'bob' }, { alg }))];
  return { good, bad: { ...good, signature: other.signature } };
}

/** With the key's own method on the event loop, or without it; each verification is recorded. */
function told([key]: readonly VerificationKey[], calls: string[]): readonly VerificationKey[] {
  if (key?.onLoop === undefined) throw new Error('the test is wrong');
  const { cost, verify } = key.onLoop;
  const onLoop: OnLoop = {
    cost,
    verify(signed, signature) {
      calls.push('loop');
      return verify(signed, signature);
    },
  };
  return [{ ...key, onLoop }];
}

t.test('a signature for which a turn has no time is verified on a thread, with the same result', async (t) => {
  for (const alg of algorithmNames.filter((each) => places[each] !== 'thread')) {
    const calls: string[] = [];
    const keys = told(await keysFor(alg), calls);
    const { good, bad } = await goodAndBad(alg);
    const budget = new TurnBudget(() => {});
    t.notOk(budget.take(1_001));
    t.equal(await verifySignature(good, keys, budget), keys[0], alg);
    t.equal(await verifySignature(bad, keys, budget), undefined, alg);
    t.equal(calls.length, places[alg] === 'loop' ? 2 : 0, alg);
  }
});

t.test('a turn has time for 13 ES256 signatures, 40 RSA signatures, and any number of HMACs', async (t) => {
  for (const [alg, most] of [
    ['ES256', 13],
    ['RS256', 40],
    ['RS384', 40],
    ['RS512', 40],
    ['HS256', 50],
    ['HS384', 50],
    ['HS512', 50],
  ] as const) {
    const calls: string[] = [];
    const keys = told(await keysFor(alg), calls);
    const { good } = await goodAndBad(alg);
    const budget = new TurnBudget(() => {});
    for (let count = 0; count < 50; count++) await verifySignature(good, keys, budget);
    t.equal(calls.length, most, alg);
  }
});

t.test('a refusal because of the algorithm takes no time of a turn', async (t) => {
  const { good } = await goodAndBad('ES256');
  const budget = new TurnBudget(() => {});
  for (let count = 0; count < 50; count++) await verifySignature(good, await keysFor('RS256'), budget);
  t.ok(budget.take(1_000));
  t.notOk(budget.take(1));
});

t.test('an RSA key of more than 2048 bits is verified on threads', async (t) => {
  for (const [modulusLength, isOnLoop] of [
    [2048, true],
    [2056, false],
    [3072, false],
  ] as const) {
    const n = Buffer.alloc(modulusLength / 8, 255).toString('base64url');
    const imported = await importKeys({ keys: [{ kty: 'RSA', n, e: 'AQAB' }] }, ['RS256', 'RS384', 'RS512', 'PS256']);
    t.equal(imported?.keys.length, 4);
    const onLoop = imported?.keys.filter((key) => key.onLoop !== undefined).map((key) => key.alg);
    t.strictSame(onLoop, isOnLoop ? ['RS256', 'RS384', 'RS512'] : [], `${modulusLength}`);
  }
});

t.test('an HMAC that is cut short, or longer, is wrong', async (t) => {
  const [key] = await importSecret(new Uint8Array(32).fill(7), ['HS256']);
  const signed = Buffer.from('a.b');
  const made = Buffer.from(await crypto.subtle.sign('HMAC', await hmacKey(), signed));
  t.equal(key?.onLoop?.verify(signed, made), true);
  for (const wrong of [made.subarray(0, 31), made.subarray(0, 0), Buffer.concat([made, Buffer.alloc(1)])])
    t.equal(key?.onLoop?.verify(signed, wrong), false, `${wrong.length}`);
  t.equal(key?.onLoop?.verify(Buffer.from('a.c'), made), false);
});

function hmacKey() {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new Uint8Array(32).fill(7), algorithm, false, ['sign']);
}
