import t from 'tap';
import {
  type DigestCredentials,
  digestChallenge,
  formatAuthenticationInfo,
  formatDigest,
  parseDigest,
} from '../../src/http-auth/digest.ts';
import fc from '../support/properties.ts';

const base = 'realm="r", nonce="n", uri="/", response="0123456789abcdef0123456789ABCDEF"';
const protection = 'qop=auth, nc=00000001, cnonce="c"';

function read(text: string): DigestCredentials | string {
  const parsed = parseDigest(text);
  if (parsed.kind === 'credentials') return parsed.credentials;
  return parsed.kind === 'malformed' ? parsed.detail : parsed.kind;
}

t.test('the example of RFC 7616 §3.9.1', async (t) => {
  const text = `Digest username="Mufasa",
    realm="http-auth@example.org",
    uri="/dir/index.html",
    algorithm=SHA-256,
    nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
    nc=00000001,
    cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
    qop=auth,
    response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
    opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
  t.match(read(text.replaceAll(/\n\s*/g, ' ')), {
    username: 'Mufasa',
    userhash: false,
    algorithm: 'SHA-256',
    protection: { qop: 'auth', nc: '00000001' },
    opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS',
  });
});

t.test('other forms that clients send: quoted tokens, RFC 2069, names in UTF-8, Latin-1 and RFC 8187', async (t) => {
  t.match(read(`DIGEST username="a", ${base}, qop="auth", nc="0000000A", cnonce=c, algorithm="MD5"`), {
    algorithm: 'MD5',
    protection: { qop: 'auth', nc: '0000000A' },
    response: '0123456789abcdef0123456789abcdef',
  });
  t.match(read(`Digest username="a", ${base}`), { protection: undefined, cnonce: undefined });
  for (const octets of [Buffer.from('Jäsøn'), Buffer.from('Jäsøn', 'latin1')])
    t.match(read(`Digest username="${octets.toString('latin1')}", ${base}`), { username: 'Jäsøn' });
  t.match(read(`Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, ${base}`), { username: 'Jäsøn Doe' });
  t.match(read(`Digest username="AB12", userhash=true, ${base}`), { username: 'ab12', userhash: true });
});

t.test('a malformed credential has a reason', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    Digest: 'no realm',
    [`Digest ${base}`]: 'needs exactly one of username and username*',
    [`Digest username="a", username*=UTF-8''a, ${base}`]: 'needs exactly one of username and username*',
    [`Digest username*=UTF-8''a, userhash=true, ${base}`]: 'username* with userhash',
    [`Digest username*=UTF-8''%ff, ${base}`]: 'username* is not UTF-8 text in the encoding of RFC 8187',
    [`Digest username*=latin1''a, ${base}`]: 'username* is not UTF-8 text in the encoding of RFC 8187',
    [`Digest username="a", userhash=yes, ${base}`]: 'userhash is neither true nor false',
    [`Digest username*=UTF-8''a%00, ${base}`]: 'the username has a control character',
    [`Digest username="a", ${base}, qop=other, nc=00000001, cnonce="c"`]: 'an unknown qop',
    [`Digest username="a", ${base}, qop=auth, nc=00000001`]: 'no cnonce',
    [`Digest username="a", ${base}, qop=auth, nc=1, cnonce="c"`]: 'nc is not eight hexadecimal digits',
    [`Digest username="a", ${base}, qop=auth, cnonce="c"`]: 'nc is not eight hexadecimal digits',
    [`Digest username="a", ${base}, uri="/other"`]: 'a parameter occurs twice',
    [`Digest username="a", ${base.replace('nonce="n", ', '')}`]: 'no nonce',
    [`Digest username="a", ${base.replace('uri="/", ', '')}`]: 'no uri',
    [`Digest username="a", ${base.replace(/response="[^"]*"/, 'response="xyz"')}`]: 'the response is not hexadecimal',
    'Basic YTpi': 'other',
    'Digestx a=b': 'other',
  };
  for (const [text, expected] of Object.entries(cases)) t.equal(read(text), expected, text);
});

t.test('a challenge quotes exactly what RFC 7616 §3.3 quotes', async (t) => {
  const challenge = { realm: 'R "1"', nonce: 'N', opaque: 'O', userhash: true, stale: true, domain: '/api' } as const;
  t.equal(
    digestChallenge({ ...challenge, algorithm: 'SHA-256', qop: ['auth', 'auth-int'] }),
    'Digest realm="R \\"1\\"", domain="/api", qop="auth, auth-int", algorithm=SHA-256, nonce="N", opaque="O", charset=UTF-8, userhash=true, stale=true',
  );
  const least = {
    realm: 'r',
    nonce: 'n',
    opaque: undefined,
    userhash: false,
    stale: false,
    domain: undefined,
  } as const;
  t.equal(
    digestChallenge({ ...least, algorithm: 'MD5', qop: [] }),
    'Digest realm="r", algorithm=MD5, nonce="n", charset=UTF-8',
  );
});

t.test('Authentication-Info is written as in RFC 7616 §3.5', async (t) => {
  const info = { rspauth: 'ab', cnonce: 'c', protection: { qop: 'auth', nc: '00000001' }, nextnonce: 'n' } as const;
  t.equal(formatAuthenticationInfo(info), 'rspauth="ab", qop=auth, cnonce="c", nc=00000001, nextnonce="n"');
});

t.test('written credentials read back', async (t) => {
  const latin = fc.stringMatching(/^[ \x21-\x7e]{1,30}$/);
  const credentials = fc.record(
    {
      username: fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
        .filter((each) => !/\p{Cc}|\p{Cs}/u.test(each)),
      userhash: fc.constant(false),
      realm: latin,
      nonce: latin,
      uri: latin,
      response: fc.stringMatching(/^[0-9a-f]{64}$/),
      algorithm: fc.constantFrom('SHA-256', 'MD5-sess', undefined),
      cnonce: latin,
      opaque: fc.option(latin, { nil: undefined }),
      protection: fc.record(
        {
          qop: fc.constantFrom('auth' as const, 'auth-int' as const),
          nc: fc.stringMatching(/^[0-9a-f]{8}$/),
        },
        { noNullPrototype: true },
      ),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(credentials, (written) => {
      t.strictSame(read(formatDigest(written)), { ...written, username: written.username.normalize('NFC') });
    }),
    { numRuns: 300 },
  );
});

t.test('no text makes it throw', async (t) => {
  const piece = fc.constantFrom(
    'username',
    'realm="r"',
    'nonce=n',
    'uri=/',
    'response=',
    protection,
    base,
    ',',
    '"',
    '=',
    ' ',
    '*',
    "UTF-8''%",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      t.ok(['credentials', 'malformed'].includes(parseDigest(`Digest ${pieces.join('')}`).kind));
    }),
    { numRuns: 2000 },
  );
});

t.test('a response and a count are hexadecimal from their first digit to their last', async (t) => {
  const response = 'a'.repeat(32);
  const of = (said: string, count: string) =>
    parseDigest(
      `Digest username="u", realm="r", nonce="n", uri="/", response="${said}", qop=auth, cnonce="c", nc=${count}`,
    );
  t.match(of(response, '0000000A'), { kind: 'credentials', credentials: { response, protection: { nc: '0000000A' } } });
  t.match(of('A'.repeat(128), '00000001'), { credentials: { response: 'a'.repeat(128) } });
  for (const said of [`x${response}`, `${response}x`, response.slice(1), 'a'.repeat(129), ''])
    t.match(of(said, '00000001'), { kind: 'malformed', detail: 'the response is not hexadecimal' }, said);
  for (const count of ['x00000001', '000000010', '00000001x', '0000001', '0000000g'])
    t.match(of(response, count), { kind: 'malformed', detail: 'nc is not eight hexadecimal digits' }, count);
  const uncounted = `Digest username="u", realm="r", nonce="n", uri="/", response="${response}", qop=auth, cnonce="c"`;
  t.match(parseDigest(uncounted), { kind: 'malformed', detail: 'nc is not eight hexadecimal digits' });
  t.strictSame(parseDigest(''), { kind: 'other' });
});
