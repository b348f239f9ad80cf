import type { JWK } from 'jose';
import t from 'tap';
import { type AlgorithmName, algorithmNames } from '../../src/jwt/algorithms.ts';
import { importKeys, type VerificationKey } from '../../src/jwt/keys.ts';
import { parseJws } from '../../src/jwt/parse.ts';
import { importSecret } from '../../src/jwt/secret-keys.ts';
import { corpus, skip } from '../support/corpora.ts';
import { joseAccepts, verifyBothWays } from './ways.ts';

interface Group {
  readonly comment: string;
  readonly public?: JWK;
  readonly private: JWK;
  readonly tests: readonly { tcId: number; comment: string; jws: string; result: 'valid' | 'invalid' }[];
}

/**
 * A `?` within the base64url text: the vectors expect that it is skipped. RFC 7515 §2 and we require that it is
 * refused.
 */
const refusedOnPurpose = new Set([372, 373]);
const parseJwk = (jwk: JWK | string): JWK => (typeof jwk === 'string' ? JSON.parse(jwk) : jwk);

/** RFC 7520 gives its keys no `alg`. The vectors added one that is not always right. */
function keyOf(group: Group): JWK {
  const { alg, ...jwk } = parseJwk(group.public ?? group.private);
  return group.comment.startsWith('rfc7520') || alg === undefined ? jwk : { ...jwk, alg };
}

async function keysOf(group: Group): Promise<readonly VerificationKey[]> {
  const jwk = keyOf(group);
  if (jwk.kty !== 'oct') return (await importKeys({ keys: [jwk] }, algorithmNames))?.keys ?? [];
  const accepted = jwk.alg === undefined ? algorithmNames : [jwk.alg as AlgorithmName];
  return importSecret(new Uint8Array(Buffer.from(jwk.k ?? '', 'base64url')), accepted);
}

async function accepts(jws: string, keys: readonly VerificationKey[]): Promise<boolean> {
  const parsed = parseJws(jws);
  return parsed.kind === 'parsed' && (await verifyBothWays(parsed, keys)) !== undefined;
}

t.test('every Wycheproof JWS vector gets its expected result', { skip }, async (t) => {
  const { testGroups } = JSON.parse(corpus('wycheproof/json_web_signature_test.json')) as { testGroups: Group[] };
  const wrong: string[] = [];
  let judged = 0;
  for (const group of testGroups) {
    const keys = await keysOf(group);
    const valid = new Set(group.tests.filter((test) => test.result === 'valid').map((test) => test.jws));
    for (const { tcId, comment, jws, result } of group.tests) {
      // 367 and 370 lost the padding that they test. The remaining text is that of a valid vector.
      if (result === 'invalid' && valid.has(jws)) continue;
      const expected = result === 'valid' && !refusedOnPurpose.has(tcId);
      judged++;
      if ((await accepts(jws, keys)) !== expected) wrong.push(`${tcId} ${group.comment} ${comment}: ${result}`);
    }
  }
  t.strictSame(wrong, []);
  t.equal(judged, 399);
});

/** Any other text is refused before its signature is checked (RFC 7515 §2); jose reads some of it. */
function isCanonical(jws: string): boolean {
  return jws.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

/** With each of the algorithms for the key. */
async function theyAccept(jws: string, group: Group, keys: readonly VerificationKey[]): Promise<boolean> {
  const { alg: _, d, p, q, dp, dq, qi, ...jwk } = keyOf(group);
  for (const { alg } of keys) if (await joseAccepts(jws, jwk, alg)) return true;
  return false;
}

t.test('for every Wycheproof JWS vector with canonical text jose gives the same result', { skip }, async (t) => {
  const { testGroups } = JSON.parse(corpus('wycheproof/json_web_signature_test.json')) as { testGroups: Group[] };
  const differ: string[] = [];
  let [compared, accepted] = [0, 0];
  for (const group of testGroups) {
    const keys = await keysOf(group);
    for (const { tcId, comment, jws } of group.tests) {
      if (!isCanonical(jws)) continue;
      const [ours, theirs] = [await accepts(jws, keys), await theyAccept(jws, group, keys)];
      compared++;
      if (ours) accepted++;
      if (ours !== theirs) differ.push(`${tcId} ${group.comment} ${comment}: ours ${ours}, jose ${theirs}`);
    }
  }
  t.strictSame(differ, []);
  t.ok(accepted > 20);
  t.equal(compared, 386);
});
