import type { JWK } from 'jose';
import t from 'tap';
import { algorithmNames } from '../../src/jwt/algorithms.ts';
import { importKeys } from '../../src/jwt/keys.ts';
import { parseJws } from '../../src/jwt/parse.ts';
import { importSecret } from '../../src/jwt/secret-keys.ts';
import { corpus, skip } from '../support/corpora.ts';
import { joseAccepts, verifyBothWays } from './ways.ts';

interface Example {
  readonly input: { readonly payload: string; readonly key: JWK };
  readonly output: { readonly compact: string };
}

const signed = [
  '4_1.rsa_v15_signature',
  '4_2.rsa-pss_signature',
  '4_3.ecdsa_signature',
  '4_4.hmac-sha2_integrity_protection',
];
const files = [...signed.map((name) => `jws/${name}.json`), 'curve25519/jws.json'];
const example = (file: string): Example => JSON.parse(corpus(`jose-cookbook/${file}`));

async function keysOf({ d, p, q, dp, dq, qi, ...jwk }: JWK) {
  if (jwk.kty === 'oct') return importSecret(new Uint8Array(Buffer.from(jwk.k ?? '', 'base64url')), algorithmNames);
  return (await importKeys({ keys: [jwk] }, algorithmNames))?.keys ?? [];
}

t.test('the signatures of RFC 7520 §4 and RFC 8037 verify', { skip }, async (t) => {
  for (const file of files) {
    const { input, output } = example(file);
    const jws = parseJws(output.compact);
    if (jws.kind === 'refused') return t.fail(`${file}: ${jws.detail}`);
    const key = await verifyBothWays(jws, await keysOf(input.key));
    t.equal(key?.alg, jws.header.alg, file);
    const { d, p, q, dp, dq, qi, ...jwk } = input.key;
    t.ok(key && (await joseAccepts(output.compact, jwk, key.alg)), `${file}: jose`);
    t.equal(Buffer.from(jws.payload).toString(), input.payload, file);
  }
});

t.test('detached and unencoded payloads are not access tokens', { skip }, async (t) => {
  t.equal(parseJws(example('rfc7797/hmac-sha2_b64_false.json').output.compact).kind, 'refused');
  const { input, output } = example('jws/4_5.signature_with_detached_content.json');
  const jws = parseJws(output.compact);
  t.notOk(jws.kind === 'parsed' && (await verifyBothWays(jws, await keysOf(input.key))));
});
