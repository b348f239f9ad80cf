import { createHmac, createSign, KeyObject, type webcrypto } from 'node:crypto';
import { type CryptoKey, exportSPKI, importJWK } from 'jose';
import t from 'tap';
import { mediaType } from '../../src/base/token-type.ts';
import { algorithmNames } from '../../src/jwt/algorithms.ts';
import { keyMismatch, signatureMismatch } from '../../src/jwt/header-mismatches.ts';
import { importKeys } from '../../src/jwt/keys.ts';
import { parseJws } from '../../src/jwt/parse.ts';
import { judgeHeader } from '../../src/jwt/verify.ts';
import { signingKey } from '../support/keys.ts';
import { encode, sign } from './tokens.ts';
import { keysFor, parsed, verifyBothWays } from './ways.ts';

t.test('each algorithm verifies only its own signature', async (t) => {
  for (const alg of algorithmNames) {
    const token = await sign({ sub: 'alice' }, { alg });
    for (const other of algorithmNames) {
      t.equal(
        (await verifyBothWays(parsed(token), await keysFor(other))) !== undefined,
        alg === other,
        `${alg} by ${other}`,
      );
    }
  }
});

t.test('a changed payload, header or signature does not verify', async (t) => {
  const keys = await keysFor('ES256');
  const token = await sign({ sub: 'alice' });
  const [header = '', payload = '', signature = ''] = token.split('.');
  const other = (await sign({ sub: 'admin' })).split('.');
  for (const forged of [
    [header, other[1], signature],
    [header, payload, other[2]],
    [header, payload, ''],
    [other[0], other[1], signature],
  ]) {
    t.equal(await verifyBothWays(parsed(forged.join('.')), keys), undefined);
  }
});

t.test('a key is used only for its configured algorithm, even if another one means the same', async (t) => {
  const { jwk: { alg: _, ...jwk } = {} } = await signingKey('Ed25519');
  const token = parsed(await sign({ sub: 'alice' }, { alg: 'Ed25519' }));
  const taken = async (alg: 'Ed25519' | 'EdDSA') => (await importKeys({ keys: [jwk] }, [alg]))?.keys ?? [];
  t.ok(await verifyBothWays(token, await taken('Ed25519')));
  t.equal((await taken('EdDSA')).length, 1);
  t.equal(await verifyBothWays(token, await taken('EdDSA')), undefined);
});

t.test('a signature of another length is wrong, and not an error', async (t) => {
  for (const alg of algorithmNames) {
    const [keys, token] = [await keysFor(alg), await sign({ sub: 'alice' }, { alg })];
    const [header = '', payload = '', signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    for (const length of [0, 1, bytes.length - 1, bytes.length + 1, 2 * bytes.length, 5_000]) {
      const other = Buffer.alloc(length, bytes).toString('base64url');
      const jws = parseJws(`${header}.${payload}.${other}`);
      t.notOk(jws.kind === 'parsed' && (await verifyBothWays(jws, keys)), `${alg}: ${length}`);
    }
  }
});

t.test('a signature in DER is invalid (RFC 7518 §3.4)', async (t) => {
  const { key } = await signingKey('ES256');
  const [header = '', payload = ''] = (await sign({ sub: 'alice' })).split('.');
  const signing = { key: KeyObject.from(key as webcrypto.CryptoKey), dsaEncoding: 'der' } as const;
  const der = createSign('sha256').update(`${header}.${payload}`).sign(signing);
  const jws = parsed(`${header}.${payload}.${der.toString('base64url')}`);
  t.equal(await verifyBothWays(jws, await keysFor('ES256')), undefined);
});

t.test('advisory 51: no public key, in any form, works as an HMAC secret', async (t) => {
  const forms: Buffer[] = [];
  for (const alg of ['RS256', 'ES256', 'EdDSA'] as const) {
    const { jwk = {} } = await signingKey(alg);
    const spki = await exportSPKI((await importJWK(jwk, alg)) as CryptoKey);
    forms.push(
      Buffer.from(spki),
      Buffer.from(spki.trim()),
      Buffer.from(JSON.stringify(jwk)),
      Buffer.from(jwk.n ?? jwk.x ?? '', 'base64url'),
    );
  }
  const published = (await Promise.all((['RS256', 'ES256', 'EdDSA'] as const).map(keysFor))).flat();
  let cases = 0;
  for (const form of forms) {
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
    ] as const) {
      const input = encode({ alg, typ: 'at+jwt', kid: 'key-RS256' }, { sub: 'admin' }).split('.').slice(0, 2).join('.');
      const token = `${input}.${createHmac(hash, form).update(input).digest('base64url')}`;
      t.equal(await verifyBothWays(parsed(token), published), undefined);
      cases++;
    }
  }
  t.ok(cases >= 33);
});

t.test('typ is compared without case, with or without application/', async (t) => {
  const rules = { algorithms: new Set(['ES256']), types: new Set(['at+jwt']) };
  const judge = (header: object) => judgeHeader(parsed(encode({ alg: 'ES256', ...header }, {})), rules)?.code;
  for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+Jwt'])
    t.equal(judge({ typ }), undefined, typ);
  for (const typ of ['JWT', 'jwt', 'at+jwt ', 'application/application/at+jwt', 'logout+jwt', 'dpop+jwt', ''])
    t.equal(judge({ typ }), 'token_type', typ);
  t.equal(judge({}), 'token_type', 'absent');
  t.equal(mediaType('APPLICATION/JWT'), 'jwt');
});

t.test('an algorithm that is not accepted is refused, whatever its signature', async (t) => {
  const rules = { algorithms: new Set(['ES256']), types: new Set(['at+jwt']) };
  for (const alg of ['none', 'None', 'NONE', 'HS256', 'RS256', 'es256', 'ES256 ', '', 'toString']) {
    t.equal(judgeHeader(parsed(encode({ alg, typ: 'at+jwt' }, {})), rules)?.code, 'token_algorithm', alg);
  }
});

t.test('a header that does not match is reported with its value, cut short, and the accepted values', async (t) => {
  const rules = { algorithms: new Set(['ES256']), types: new Set(['at+jwt', undefined]) };
  const told = (header: object) => judgeHeader(parsed(encode({ alg: 'ES256', ...header }, {})), rules)?.mismatch;
  t.strictSame(told({ alg: 'HS256' }), { claim: 'alg', found: '"HS256"', expected: '"ES256"' });
  t.strictSame(told({ alg: 'es256' })?.difference, 'differs only by upper and lower case');
  t.strictSame(told({ alg: 'x'.repeat(200) })?.found, `"${'x'.repeat(100)}…"`);
  t.strictSame(told({ typ: 'JWT' }), { claim: 'typ', found: '"JWT"', expected: '"at+jwt" or none' });
  t.equal(told({}), undefined, 'a token without typ is taken where that is allowed');
});

const header = (kid?: string) => ({ alg: 'ES256', kid, typ: undefined });
const named = (alg: 'ES256' | 'RS256', kid?: string) => ({ alg, kid });

t.test('a missing key is reported with the names of the existing ones, the first few of them', async (t) => {
  t.strictSame(keyMismatch(header('k9'), [named('ES256', 'k1'), named('RS256')]), {
    claim: 'kid',
    found: '"k9"',
    expected: '"k1" (ES256) or a key without a kid (RS256)',
  });
  t.match(keyMismatch(header(), []), { found: 'none', expected: 'a known key, but there is none' });
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((kid) => named('ES256', kid));
  t.match(keyMismatch(header('k9'), many).expected, /"d" \(ES256\) and 2 more$/);
});

t.test('a key with the right name and another algorithm is reported as that', async (t) => {
  const told = keyMismatch(header('k1'), [named('RS256', 'k1')]);
  t.equal(told.difference, 'the key with this kid is for RS256, but the token has "ES256"');
});

t.test('a signature that no key made is reported with the keys that were tried', async (t) => {
  t.match(signatureMismatch(header('k1'), [named('ES256', 'k1')]), {
    claim: 'kid',
    found: '"k1"',
    expected: 'a signature by "k1" (ES256)',
    difference: /the token was changed/,
  });
});
