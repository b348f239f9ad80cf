import { createHash } from 'node:crypto';
import t from 'tap';
import type { Protection } from '../../src/http-auth/digest.ts';
import {
  type DigestAlgorithmName,
  digestAlgorithmNamed,
  digestAlgorithmNames,
} from '../../src/http-auth/digest-algorithms.ts';
import { digestResponse, storedHash, userHash } from '../../src/http-auth/digest-response.ts';
import { corpus, skip } from '../support/corpora.ts';

const mufasa = {
  realm: 'http-auth@example.org',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  protection: { qop: 'auth', nc: '00000001' },
  method: 'GET',
  uri: '/dir/index.html',
} as const;

function respond(algorithm: DigestAlgorithmName, username: string, password: string, more: Partial<Exchange> = {}) {
  const exchange = { ...mufasa, ...more };
  const ha1 = storedHash(algorithm, username, exchange.realm, password);
  return digestResponse({ algorithm, ha1, ...exchange });
}

type Exchange = Omit<typeof mufasa, 'protection'> & { protection: Protection | undefined };

t.test('RFC 7616 §3.9.1, MD5 and SHA-256 (T49)', async (t) => {
  t.equal(respond('MD5', 'Mufasa', 'Circle of Life'), '8ca523f5e9506fed4657c9700eebdbec');
  t.equal(
    respond('SHA-256', 'Mufasa', 'Circle of Life'),
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  );
});

t.test('RFC 7616 §3.9.2 as errata 4897 corrects it: SHA-512/256, charset and userhash (T49)', async (t) => {
  const realm = 'api@example.org';
  const more = {
    realm,
    nonce: '5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK',
    cnonce: 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v',
    uri: '/doe.json',
  } as unknown as Partial<Exchange>;
  t.equal(
    respond('SHA-512-256', 'Jäsøn Doe', 'Secret, or not?', more),
    '3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5',
  );
  t.equal(
    userHash('SHA-512-256', 'Jäsøn Doe', realm),
    '793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b',
  );
});

t.test('RFC 2617 §3.5', async (t) => {
  const ha1 = storedHash('MD5', 'Mufasa', 'testrealm@host.com', 'Circle Of Life');
  t.equal(ha1, '939e7578ed9e3c518a452acee763bce9');
  const exchange = { nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093', cnonce: '0a4f113b', protection: mufasa.protection };
  const input = { algorithm: 'MD5', ha1, ...exchange, method: 'GET', uri: '/dir/index.html' } as const;
  t.equal(digestResponse(input), '6629fae49393a05397450978507c4ef1');
  t.equal(
    digestResponse({ ...input, protection: undefined }),
    '670fd8c2df070c60b045671b8b24ff02',
    'and without qop as RFC 2069',
  );
});

interface Vector {
  readonly name: string;
  readonly algorithm: DigestAlgorithmName;
  readonly username: string;
  readonly realm: string;
  readonly password: string;
  readonly nonce: string;
  readonly cnonce: string;
  readonly nc: string;
  readonly qop: Protection['qop'] | null;
  readonly method: string;
  readonly uri: string;
  readonly body: string | null;
  readonly response: string;
  readonly userhash: string;
}

t.test('the vectors of the corpus: every algorithm, auth, auth-int and neither', { skip }, async (t) => {
  const { digest }: { digest: readonly Vector[] } = JSON.parse(corpus('digest-vectors/digest_basic_vectors.json'));
  for (const { name, algorithm, username, realm, password, qop, nc, body, response, userhash, ...exchange } of digest) {
    const ha1 = storedHash(algorithm, username, realm, password);
    const protection = qop === null ? undefined : { qop, nc };
    const entity = body === null ? undefined : Buffer.from(body);
    t.equal(digestResponse({ algorithm, ha1, protection, entity, ...exchange }), response, name);
    t.equal(userHash(algorithm, username, realm), userhash, name);
  }
  t.equal(digest.length, 15);
});

t.test('the name of an algorithm is read in any case; absent means MD5; others are rejected', async (t) => {
  for (const name of digestAlgorithmNames) t.equal(digestAlgorithmNamed(name.toLowerCase()), name);
  t.equal(digestAlgorithmNamed(undefined), 'MD5');
  for (const other of ['', 'SHA-1', 'SHA', 'SHA-512', 'constructor', 'MD5 '])
    t.equal(digestAlgorithmNamed(other), undefined);
});

t.test('changing method, uri, count or body changes the response', async (t) => {
  const input = { algorithm: 'SHA-256', ha1: storedHash('SHA-256', 'a', 'r', 'p'), ...mufasa } as const;
  const integrity = { ...input, protection: { qop: 'auth-int', nc: '00000001' }, entity: Buffer.from('x') } as const;
  const all = [
    digestResponse(input),
    digestResponse({ ...input, method: 'HEAD' }),
    digestResponse({ ...input, uri: '/dir/index.html?' }),
    digestResponse({ ...input, protection: { qop: 'auth', nc: '00000002' } }),
    digestResponse(integrity),
    digestResponse({ ...integrity, entity: Buffer.from('y') }),
  ];
  t.equal(new Set(all).size, all.length);
});

t.test('octets of a header are hashed as they came, text of a user in UTF-8', async (t) => {
  const md5 = (octets: string) => createHash('md5').update(Buffer.from(octets, 'latin1')).digest('hex');
  const input = { algorithm: 'MD5', ha1: 'AB', nonce: 'n', cnonce: 'c', protection: undefined, method: 'GET' } as const;
  for (const uri of ['/', '/\xe9', '/\xc3\xa9', '\xe9/a', '/a\x80'])
    t.equal(digestResponse({ ...input, uri }), md5(`ab:n:${md5(`GET:${uri}`)}`), uri);
  t.equal(storedHash('MD5', 'Zo\u00eb', 'r', 'p'), md5('Zo\xc3\xab:r:p'));
});

t.test('without a cnonce a session begins with an empty one', async (t) => {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const input = { algorithm: 'MD5-sess', ha1: 'ab', nonce: 'n', cnonce: undefined, method: 'GET', uri: '/' } as const;
  t.equal(digestResponse({ ...input, protection: undefined }), md5(`${md5('ab:n:')}:n:${md5('GET:/')}`));
});
