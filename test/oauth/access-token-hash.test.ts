import { createHash } from 'node:crypto';
import t from 'tap';
import { accessTokenHash } from '../../src/oauth/access-token-hash.ts';

t.test('at_hash of the example in OpenID Connect Core, appendix A.3', async (t) => {
  t.equal(accessTokenHash('RS256', 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y'), '77QmUPtjPfzWtF2AnpK9RQ');
});

t.test('at_hash is the left half of the hash that the algorithm uses, and of SHA-512 for Ed25519', async (t) => {
  const hashes = {
    ES256: 'sha256',
    ES256K: 'sha256',
    RS384: 'sha384',
    ES512: 'sha512',
    EdDSA: 'sha512',
    Ed25519: 'sha512',
  };
  for (const [alg, name] of Object.entries(hashes)) {
    const whole = createHash(name).update('a token').digest();
    t.equal(accessTokenHash(alg, 'a token'), whole.subarray(0, whole.length / 2).toString('base64url'), alg);
  }
});
