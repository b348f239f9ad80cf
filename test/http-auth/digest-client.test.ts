import t from 'tap';
import { parseAuthenticationInfo } from '../../src/http-auth/authentication-info.ts';
import { splitChallenges } from '../../src/http-auth/challenge-list.ts';
import { answerDigest, digestSelf } from '../../src/http-auth/digest-answer.ts';
import { chooseOffer, type DigestWish } from '../../src/http-auth/digest-offer.ts';
import { digestResponse, userHash } from '../../src/http-auth/digest-response.ts';

const wish: DigestWish = { algorithms: ['SHA-256', 'SHA-512-256', 'MD5'], qop: ['auth', 'auth-int'] };
const digest = (more: string) => `Digest realm="r", nonce="n"${more}`;

t.test('a line is split into challenges, whatever is inside quotes', async (t) => {
  const cases: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
    ['Basic realm="a"', [['basic', 'realm="a"']]],
    [
      'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"',
      [
        ['newauth', 'realm="apps", type=1, title="Login to \\"apps\\""'],
        ['basic', 'realm="simple"'],
      ],
    ],
    [
      'Digest realm="a, Basic b", qop="auth,auth-int" , Bearer',
      [
        ['digest', 'realm="a, Basic b", qop="auth,auth-int"'],
        ['bearer', ''],
      ],
    ],
    [
      'Negotiate, NTLM TlRMTVNTUA==, Digest nonce = "x"',
      [
        ['negotiate', ''],
        ['ntlm', 'TlRMTVNTUA=='],
        ['digest', 'nonce = "x"'],
      ],
    ],
    [', ,Digest realm=a,,nonce=b,', [['digest', 'realm=a, nonce=b']]],
    ['Digest realm="open', [['digest', 'realm="open']]],
    ['', []],
    ['=', []],
  ];
  for (const [line, expected] of cases)
    t.strictSame(
      splitChallenges(line).map(({ scheme, rest }) => [scheme, rest]),
      expected,
      line,
    );
});

t.test('a line of the maximum length is read, and a longer one is not', async (t) => {
  for (const part of ['"\\', '"', '\\"', ',', 'a=', 'Digest ', '"a",', '" ']) {
    splitChallenges(part.repeat(8192 / part.length).slice(0, 8192));
    chooseOffer([digest(`, x=${part.repeat(4000 / part.length)}`)], wish);
  }
  t.strictSame(splitChallenges(`Digest realm="${'r'.repeat(9000)}"`), []);
});

t.test('of several challenges the one with the preferred algorithm comes first', async (t) => {
  const lines = [
    `Basic realm="x", ${digest(', qop="auth"')}`,
    digest(', algorithm=SHA-512-256, qop="auth"'),
    digest(', algorithm="sha-256", qop=auth'),
  ];
  t.equal(chooseOffer(lines, wish)?.algorithm, 'SHA-256');
  t.equal(chooseOffer(lines, { ...wish, algorithms: ['MD5', 'SHA-256'] })?.algorithm, 'MD5');
  t.equal(chooseOffer(lines, { ...wish, algorithms: ['MD5-sess'] }), undefined);
});

t.test('a challenge that cannot be answered is not an offer', async (t) => {
  for (const more of [', algorithm=SHA-1', ', qop="token"', ', qop=""', ', realm="again"', ', opaque='])
    t.equal(chooseOffer([digest(more)], wish), undefined, more);
  t.equal(chooseOffer(['Digest nonce="n"'], wish), undefined);
  t.equal(chooseOffer(['Digest realm="r"'], wish), undefined);
  t.equal(chooseOffer([digest(', qop="auth-int"')], { ...wish, qop: ['auth'] }), undefined);
});

t.test('qop in order of preference, none as in RFC 2069, stale and userhash in any case and with quotes', async (t) => {
  t.match(chooseOffer([digest(', qop="auth-int , AUTH,x", stale="TRUE", userhash=true, opaque="o"')], wish), {
    qop: ['auth', 'auth-int'],
    stale: true,
    userhash: true,
    opaque: 'o',
    isNamed: false,
  });
  t.match(chooseOffer([digest('')], wish), { qop: [], stale: false, userhash: false, algorithm: 'MD5' });
});

// RFC 7616 §3.9.1.
const realm = 'http-auth@example.org';
const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
const opaque = 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS';
const login = { username: 'Mufasa', password: 'Circle of Life', userhash: true };

for (const [algorithm, response] of [
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
] as const) {
  t.test(`the example of RFC 7616 §3.9.1, ${algorithm}`, async (t) => {
    const line = `Digest realm="${realm}", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="${opaque}"`;
    const offer = chooseOffer([line], wish);
    if (offer === undefined) throw new Error('no offer');
    const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
    const use = { method: 'GET', uri: '/dir/index.html', count: 1, cnonce, qop: 'auth' } as const;
    const { authorization } = answerDigest(digestSelf(login, offer), use);
    for (const part of [
      `username="Mufasa"`,
      `response="${response}"`,
      `algorithm=${algorithm}`,
      'nc=00000001',
      'qop=auth',
      `opaque="${opaque}"`,
    ])
      t.ok(authorization.includes(part), part);
    t.notMatch(authorization, /userhash/);
  });
}

t.test('the example of RFC 2069 §2.4 has neither nc nor cnonce, and no algorithm without a name', async (t) => {
  const offer = chooseOffer(['Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"'], wish);
  if (offer === undefined) throw new Error('no offer');
  const use = { method: 'GET', uri: '/dir/index.html', count: 1, cnonce: '0a4f113b', qop: undefined };
  const { authorization, rspauth } = answerDigest(digestSelf({ ...login, password: 'CircleOfLife' }, offer), use);
  t.match(authorization, /response="1949323746fe6a43ef61f9606e7febea"/);
  t.notMatch(authorization, /nc=|cnonce=|algorithm=|qop=/);
  t.equal(rspauth(), undefined);
});

t.test('Authentication-Info is read, and an invalid one gives nothing', async (t) => {
  t.strictSame(parseAuthenticationInfo('rspauth="ABC", qop=auth, nc=00000001, nextnonce="n"'), {
    rspauth: 'abc',
    nextnonce: 'n',
  });
  t.equal(parseAuthenticationInfo('"'), undefined);
});

const zoe = { username: 'Zo\u00eb', password: 'secret', userhash: true };
const offerOf = (more: string) => chooseOffer([digest(more)], wish);

t.test('a hash replaces the name if both sides support it', async (t) => {
  const [hashing, plain] = [offerOf(', userhash=true, algorithm=SHA-256'), offerOf(', algorithm=SHA-256')];
  if (hashing === undefined || plain === undefined) return t.fail('no offer');
  t.match(digestSelf(zoe, hashing), { userhash: true, username: userHash('SHA-256', zoe.username, 'r') });
  t.match(digestSelf(zoe, plain), { userhash: false, username: zoe.username });
  t.match(digestSelf({ ...zoe, userhash: false }, hashing), { userhash: false, username: zoe.username });
  const use = { method: 'GET', uri: '/', count: 26, cnonce: 'c', qop: 'auth' } as const;
  const { authorization } = answerDigest(digestSelf(zoe, hashing), use);
  t.match(authorization, /, userhash=true$/);
  t.match(authorization, /, qop=auth, nc=0000001a, /);
  t.notMatch(answerDigest(digestSelf(zoe, plain), use).authorization, 'userhash');
  t.match(answerDigest(digestSelf(zoe, plain), use).authorization, /^Digest username\*=UTF-8''Zo%C3%AB, /);
});

t.test("the server's proof is computed for auth only, without a method (RFC 7616 §3.5)", async (t) => {
  const offer = offerOf(', algorithm=SHA-256, qop="auth, auth-int"');
  if (offer === undefined) return t.fail('no offer');
  const self = digestSelf(zoe, offer);
  const use = { method: 'GET', uri: '/', count: 1, cnonce: 'c' } as const;
  const protection = { qop: 'auth', nc: '00000001' } as const;
  t.equal(
    answerDigest(self, { ...use, qop: 'auth' }).rspauth(),
    digestResponse({ algorithm: 'SHA-256', ha1: self.ha1, nonce: 'n', cnonce: 'c', protection, method: '', uri: '/' }),
  );
  t.equal(answerDigest(self, { ...use, qop: 'auth-int' }).rspauth(), undefined);
  t.equal(answerDigest(self, { ...use, qop: undefined }).rspauth(), undefined);
});

t.test('a session is bound to its cnonce, also without a qop', async (t) => {
  const offer = chooseOffer([digest(', algorithm=MD5-sess')], { ...wish, algorithms: ['MD5-sess'] });
  const plain = chooseOffer([digest(', algorithm=MD5')], wish);
  if (offer === undefined || plain === undefined) return t.fail('no offer');
  const use = { method: 'GET', uri: '/', count: 1, cnonce: 'c', qop: undefined };
  t.match(answerDigest(digestSelf(zoe, offer), use).authorization, /, cnonce="c"/);
  t.notMatch(answerDigest(digestSelf(zoe, plain), use).authorization, 'cnonce');
});

t.test('only a complete Digest challenge is answered, whatever is beside it', async (t) => {
  const whole = digest(', algorithm=SHA-256');
  for (const line of [
    'Basic realm="r", nonce="n"',
    'Bearer realm="r"',
    'Digest realm="r"',
    'Digest nonce="n"',
    'Digest a',
    '@',
  ])
    t.equal(chooseOffer([line], wish), undefined, line);
  t.match(chooseOffer(['Digest a', 'Basic realm="r", nonce="n"', whole], wish), { algorithm: 'SHA-256' });
  t.equal(chooseOffer([digest(', algorithm=SHA-1')], wish), undefined, 'an unknown algorithm');
  t.equal(chooseOffer([digest(', qop=other')], wish), undefined, 'an unknown qop');
  t.strictSame(chooseOffer([digest('')], wish)?.qop, [], 'RFC 2069');
  const utf8 = chooseOffer([`Digest realm="${Buffer.from('Zo\u00eb').toString('latin1')}", nonce="n"`], wish);
  t.equal(utf8?.realm, 'Zo\u00eb');
});
