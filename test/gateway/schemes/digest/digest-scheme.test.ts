import t from 'tap';
import type { Asker } from '../../../../src/base/bounded-queue.ts';
import { outage } from '../../../../src/base/verdict.ts';
import type { DigestConfig } from '../../../../src/config/schemes/digest/schema.ts';
import type { Counters } from '../../../../src/counters/counters.ts';
import { digestScheme } from '../../../../src/gateway/schemes/digest/digest-scheme.ts';
import { type DigestUser, type DigestUsers, digestUsers } from '../../../../src/gateway/schemes/digest/digest-users.ts';
import type { LookupResult } from '../../../../src/gateway/schemes/lookup-result.ts';
import { openNonces, openUsedNonces } from '../../../../src/gateway/schemes/nonces.ts';
import { formatDigest } from '../../../../src/http-auth/digest.ts';
import type { DigestAlgorithmName, StoredAlgorithm } from '../../../../src/http-auth/digest-algorithms.ts';
import { digestResponse, storedHash } from '../../../../src/http-auth/digest-response.ts';
import { settableClock } from '../../../support/settable-clock.ts';
import { headOf } from '../../head.ts';
import { answer, offerOf, present, type Said, throttleOf, user } from '../presenting.ts';

const realm = 'r';
const settings: DigestConfig = {
  realm,
  users: 'users',
  algorithms: ['SHA-256'],
  qop: ['auth'],
  nonce_ttl: 10_000,
  nc: 'strict',
  legacy_no_qop: false,
  userhash: true,
  bind_ip: false,
  uri_match: 'exact',
  uri_from: [],
  auth_int: { max_body: 50 },
  nextnonce: false,
  opaque: true,
  scopes: { alice: 'read write' },
};

const stored: readonly StoredAlgorithm[] = ['MD5', 'SHA-256', 'SHA-512-256'];
const entries = stored.map((algorithm) => ({
  username: user.username,
  realm,
  algorithm,
  ha1: storedHash(algorithm, user.username, realm, user.password),
  line: 1,
}));

function open(
  changes: Partial<DigestConfig> = {},
  more: { useNonce?: Counters['useNonce']; maxFailures?: number; users?: DigestUsers } = {},
) {
  const clock = settableClock();
  const config = { ...settings, ...changes };
  const nonces = openNonces([Buffer.alloc(32, 1).toString('base64')], openUsedNonces(clock));
  const parts = {
    config,
    users: more.users ?? digestUsers(entries, realm),
    nonces,
    throttle: throttleOf(clock, more.maxFailures),
    share: 1,
  };
  const scheme = digestScheme({ ...parts, countedAt: 'here', useNonce: more.useNonce });
  const challenges = (address = '192.0.2.1', stale = false) => {
    const head = headOf();
    return scheme.challenges({ ...head, origin: { ...head.origin, address } }, stale);
  };
  const offer = (algorithm?: DigestAlgorithmName, address?: string) =>
    offerOf(challenges(address), algorithm === undefined ? {} : { algorithms: [algorithm] });
  const tell = async (presented: Parameters<typeof scheme.verify>[0]) => {
    const verdict = await scheme.verify(presented);
    return verdict.kind === 'refused' ? verdict.code : verdict.kind;
  };
  return { clock, scheme, challenges, offer, tell };
}

t.test('a right response passes once for each count, with the identity and the scope of its user', async (t) => {
  const { scheme, offer, tell } = open();
  const given = offer();
  t.match(scheme.verify(answer(given)), {
    kind: 'verified',
    cache: 'miss',
    identity: { scheme: 'digest', issuer: 'digest:r', subject: 'alice', scopes: new Set(['read', 'write']) },
  });
  t.equal(await tell(answer(given)), 'nonce_replayed');
  t.equal(await tell(answer(given, { count: 3 })), 'verified');
  t.equal(await tell(answer(given, { count: 2 })), 'nonce_replayed', 'strict');
});

t.test('a count is a hexadecimal number', async (t) => {
  const { offer, tell } = open();
  const given = offer();
  const counts = [8, 9, 10, 11, 15, 16, 17, 31, 32, 0xff, 0x100, 0xabcdef, 0xabcdf0, 0xfedcba98];
  for (const count of counts) {
    t.equal(await tell(answer(given, { count })), 'verified', count.toString(16));
    t.equal(await tell(answer(given, { count: count - 1 })), 'nonce_replayed', `before ${count.toString(16)}`);
  }
});

t.test('in a window counts may arrive in any order, each once', async (t) => {
  const { offer, tell } = open({ nc: 'window' });
  const given = offer();
  const told: string[] = [];
  for (const count of [3, 1, 2, 2]) told.push(await tell(answer(given, { count })));
  t.strictSame(told, ['verified', 'verified', 'verified', 'nonce_replayed']);
});

t.test(
  'a wrong password and an unknown user get the same answer, and after some of them no more are checked',
  async (t) => {
    const { offer, tell, scheme } = open();
    for (const login of [{ password: 'x' }, { username: 'mallory' }])
      t.match(scheme.verify(answer(offer(), { login })), { kind: 'refused', code: 'password_wrong' });
    for (let n = 0; n < 2; n++) t.equal(await tell(answer(offer(), { login: { password: 'x' } })), 'password_wrong');
    t.equal(await tell(answer(offer())), 'throttled');
    t.equal(await tell(answer(offer(), { address: '192.0.2.9' })), 'verified', 'from another address');
  },
);

t.test('guesses of a name and of its hash count together, by realm', async (t) => {
  const { offer, tell } = open();
  for (const userhash of [true, false, true])
    t.equal(await tell(answer(offer(), { login: { userhash, password: 'x' } })), 'password_wrong');
  t.equal(await tell(answer(offer())), 'throttled');
  t.equal(await tell(answer(offer(), { login: { userhash: true } })), 'throttled');
  const plain = open({ userhash: false });
  for (let n = 0; n < 3; n++)
    t.equal(await plain.tell(answer(plain.offer(), { login: { password: 'x' } })), 'password_wrong');
  t.equal(await plain.tell(answer(plain.offer(), { login: { username: 'bob' } })), 'password_wrong', 'another name');
  t.equal(await plain.tell(answer(plain.offer())), 'throttled');
});

t.test(
  'a nonce is valid for its time, including the last millisecond, and only for its own realm and address',
  async (t) => {
    const { offer, tell, clock } = open();
    const given = offer();
    clock.advance(10_001);
    t.equal(await tell(answer(given)), 'verified');
    clock.advance(1);
    t.equal(await tell(answer(given, { count: 2 })), 'nonce_stale');
    t.equal(await tell(answer(given, { count: 2, login: { password: 'x' } })), 'password_wrong', 'not for who guesses');
    t.equal(await tell(answer({ ...given, nonce: `${given.nonce.slice(0, -4)}AAAA` })), 'nonce_invalid');
    t.equal(await tell(answer(open().offer())), 'verified', 'the same key');
    const elsewhere = open({ nonce_ttl: 20_000 });
    t.equal(await tell(answer(elsewhere.offer())), 'nonce_invalid', 'for another time');
    const bound = open({ bind_ip: true });
    const mine = bound.offer(undefined, '198.51.100.7');
    t.equal(await bound.tell(answer(mine, { address: '198.51.100.7' })), 'verified');
    t.equal(await bound.tell(answer(mine, { address: '198.51.100.8', count: 2 })), 'nonce_invalid');
    t.equal(await tell(answer(offer(undefined, '198.51.100.7'))), 'verified', 'bound only where the file says so');
  },
);

t.test('a response that does not match the offer is refused, with a reason for the log', async (t) => {
  const { scheme, offer } = open();
  const cases: readonly [change: (authorization: string) => string, detail: string][] = [
    [(text) => text.replace('realm="r"', 'realm="s"'), 'another realm'],
    [(text) => text.replace('algorithm=SHA-256', 'algorithm=MD5'), 'an algorithm that is not offered'],
    [(text) => text.replace('algorithm=SHA-256', 'algorithm=SHA-1'), 'an algorithm that is not offered'],
    [(text) => text.replace(/response="[^"]{2}/, 'response="'), 'a response whose length does not fit the algorithm'],
    [(text) => text.replace(/, qop=auth, nc=00000001/, ''), 'no qop'],
    [(text) => text.replace('qop=auth,', 'qop=auth-int,'), 'a qop that is not offered'],
    [(text) => text.replace(/opaque="[^"]+"/, 'opaque="x"'), 'another opaque'],
  ];
  for (const [change, detail] of cases)
    t.match(scheme.verify(answer(offer(), { change })), { kind: 'refused', code: 'digest_mismatch', detail }, detail);
  const plain = open({ userhash: false });
  t.match(plain.scheme.verify(answer({ ...plain.offer(), userhash: true }, { login: { userhash: true } })), {
    code: 'digest_mismatch',
    detail: 'a userhash, which is not offered',
  });
  t.match(scheme.verify(answer(offer(), { change: (text) => text.replace(/opaque="[^"]+", /, '') })), {
    kind: 'verified',
  });
  const without = open({ opaque: false });
  t.equal(without.offer().opaque, undefined);
  t.match(without.scheme.verify(answer({ ...without.offer(), opaque: 'x' })), { kind: 'verified' });
});

t.test('credentials that are not Digest are malformed', async (t) => {
  const { scheme } = open();
  t.match(scheme.verify(present('Digest username="a"')), {
    kind: 'refused',
    code: 'authorization_malformed',
    detail: 'no realm',
  });
  const other = scheme.verify(present('Basic YTpi'));
  t.strictSame(other, { kind: 'refused', code: 'authorization_malformed' });
});

t.test('the uri must be that of the request', async (t) => {
  const { offer, tell } = open();
  const other = { ...answer(offer(), { uri: '/b' }), head: headOf(['Host', 'api.example.com'], 'GET', '/a') };
  t.equal(await tell(other), 'digest_uri');
});

t.test('RFC 2069 is accepted only with MD5, if the file allows it, and each of its nonces once', async (t) => {
  const legacy = open({ algorithms: ['MD5', 'SHA-256'], legacy_no_qop: true });
  const given = legacy.offer('MD5');
  t.equal(await legacy.tell(answer(given, { qop: undefined })), 'verified');
  t.equal(await legacy.tell(answer(given, { qop: undefined })), 'nonce_replayed');
  t.equal(await legacy.tell(answer(given)), 'nonce_replayed');
  t.equal(await legacy.tell(answer(legacy.offer('SHA-256'), { qop: undefined })), 'digest_mismatch');
  const strict = open({ algorithms: ['MD5'] });
  t.equal(await strict.tell(answer(strict.offer(), { qop: undefined })), 'digest_mismatch');
});

t.test('auth-int hashes the body, which is read up to its limit', async (t) => {
  const { scheme, offer, tell } = open({ qop: ['auth', 'auth-int'] });
  const said: Said = { qop: 'auth-int', entity: 'whole', method: 'POST' };
  const right = answer(offer(), said);
  t.equal(scheme.wantsEntity(right.head), 50);
  t.equal(scheme.wantsEntity(answer(offer()).head), undefined, 'auth needs none');
  t.equal(scheme.wantsEntity(headOf()), undefined);
  t.equal(scheme.wantsEntity(headOf(['Authorization', 'Basic YTpi'])), undefined);
  t.equal(open().scheme.wantsEntity(right.head), undefined, 'where it is not offered');
  t.equal(await tell({ ...right, entity: Buffer.from('other') }), 'password_wrong');
  const verdict = scheme.verify(right);
  t.match(verdict, { kind: 'verified' });
  t.strictSame((verdict as { answerFields?: unknown }).answerFields, [], 'a body that is streamed is not hashed');
});

t.test(
  'the server proves that it knows the password too, and late in its life a nonce brings the next one',
  async (t) => {
    const { scheme, offer, clock } = open({ nextnonce: true });
    const fields = (verdict: unknown) => (verdict as { answerFields: readonly string[] }).answerFields;
    const given = offer();
    const [name, early] = fields(scheme.verify(answer(given)));
    t.equal(name, 'authentication-info');
    t.match(early, /^rspauth="[0-9a-f]{64}", qop=auth, cnonce="c", nc=00000001$/);
    clock.advance(8001);
    t.notMatch(fields(scheme.verify(answer(given, { count: 2 })))[1], 'nextnonce');
    clock.advance(1);
    const [, late = ''] = fields(scheme.verify(answer(given, { count: 3 })));
    const next = /nextnonce="([^"]+)"/.exec(late)?.[1] ?? '';
    t.match(scheme.verify(answer({ ...given, nonce: next })), { kind: 'verified' });
    const quiet = open();
    const old = quiet.offer();
    quiet.clock.advance(9000);
    t.notMatch(fields(quiet.scheme.verify(answer(old)))[1], 'nextnonce');
  },
);

t.test('a session begins with the cnonce of its first request, which stays valid', async (t) => {
  const { offer, tell } = open({ algorithms: ['SHA-256-sess'] });
  const given = offer();
  t.equal(await tell(answer(given, { cnonce: 'one' })), 'verified');
  t.equal(await tell(answer(given, { count: 2, cnonce: 'two' })), 'verified', 'a new session with each request');
  const self = { algorithm: 'SHA-256-sess', nonce: given.nonce, cnonce: 'three', method: 'GET', uri: '/a' } as const;
  const ha1 = storedHash('SHA-256', user.username, realm, user.password);
  const protection = { qop: 'auth', nc: '00000003' } as const;
  const response = digestResponse({ ...self, ha1, sessionCnonce: 'one', protection });
  const said = { ...given, ...self, username: 'alice', userhash: false, realm, response, protection };
  t.equal(await tell(present(formatDigest(said))), 'verified', 'the first one for all');
  const wrong = { ...said, response: digestResponse({ ...self, ha1, sessionCnonce: 'zero', protection }) };
  t.equal(await tell(present(formatDigest(wrong))), 'password_wrong');
});

t.test('a user without a hash for the algorithm gets the usual answer, and only the log has the reason', async (t) => {
  const apache = entries.filter(({ algorithm }) => algorithm === 'MD5');
  const { scheme, offer } = open({}, { users: digestUsers(apache, realm) });
  const refusal = (login: object) => scheme.verify(answer(offer('SHA-256'), { login }));
  t.match(await refusal({}), { code: 'password_wrong', detail: 'no SHA-256 hash is stored for this user' });
  t.match(await refusal({ username: 'nobody' }), { code: 'password_wrong', detail: undefined });
  const known = open();
  const wrong = await known.scheme.verify(answer(known.offer('SHA-256'), { login: { password: 'x' } }));
  t.match(wrong, { code: 'password_wrong', detail: undefined });
});

t.test('each offered algorithm has a challenge, MD5 last, all with one nonce', async (t) => {
  const { challenges, tell, offer } = open({
    algorithms: ['MD5', 'SHA-256', 'SHA-512-256'],
    qop: ['auth', 'auth-int'],
    domain: ['/a', '/b'],
  });
  const lines = challenges('192.0.2.1', true);
  t.strictSame(
    lines.map((line) => /algorithm=([^,]+)/.exec(line)?.[1]),
    ['SHA-256', 'SHA-512-256', 'MD5'],
  );
  t.equal(new Set(lines.map((line) => /[^a-z]nonce="([^"]+)"/.exec(line)?.[1])).size, 1);
  for (const line of lines) t.match(line, /^Digest realm="r", domain="\/a \/b", qop="auth, auth-int".*stale=true/);
  t.notMatch(challenges().join(), 'stale');
  for (const algorithm of ['MD5', 'SHA-256', 'SHA-512-256'] as const)
    t.equal(await tell(answer(offer(algorithm))), 'verified', algorithm);
});

t.test(
  'if other processes accept the same nonces, the shared counter decides, and without it there is an outage',
  async (t) => {
    const asked: object[] = [];
    const usages = ['fresh', 'repeated', 'forgotten', undefined] as const;
    const verdicts: string[] = [];
    for (const usage of usages) {
      const shared = open(
        {},
        {
          useNonce: async (use) => {
            asked.push(use);
            return usage;
          },
        },
      );
      verdicts.push(await shared.tell(answer(shared.offer(), { count: 7 })));
    }
    t.strictSame(verdicts, ['verified', 'nonce_replayed', 'nonce_stale', 'outage']);
    t.match(asked[0], { count: 7, mode: 'strict', lifetime: 20_001 });
    const out = open({}, { useNonce: async () => undefined });
    t.match(await out.scheme.verify(answer(out.offer())), { kind: 'outage', dependency: 'counters', retryAfter: 1 });
  },
);

t.test('a nonce is for one realm and one counter, also if their names join to the same text', async (t) => {
  const clock = settableClock();
  const nonces = openNonces([Buffer.alloc(32, 1).toString('base64')], openUsedNonces(clock));
  const at = (realm: string, countedAt: string) => {
    const users = digestUsers([], realm);
    const config = { ...settings, realm, opaque: false };
    const throttle = throttleOf(clock);
    return digestScheme({ config, users, nonces, throttle, share: 1, countedAt, useNonce: undefined });
  };
  const given = offerOf(at('ab', 'c').challenges(headOf(), false));
  for (const [realm, place] of [
    ['a', 'bc'],
    ['abc', ''],
  ] as const)
    t.match(at(realm, place).verify(answer({ ...given, realm })), { code: 'nonce_invalid' }, `${realm} ${place}`);
  t.match(at('ab', 'c').verify(answer(given)), { code: 'password_wrong' }, 'its own is read');
});

/** Users of a store, which answers later; it records who asked. */
function storeOf(answered: LookupResult<DigestUser>) {
  const askers: Asker[] = [];
  const users: DigestUsers = {
    async find(_credentials, _algorithm, asker) {
      askers.push(asker);
      return answered;
    },
  };
  return { askers, users };
}

t.test("users of a store are read with the client's address block, and checked like users of a file", async (t) => {
  const ha1 = storedHash('SHA-256', user.username, realm, user.password);
  const { askers, users } = storeOf({ kind: 'found', user: { username: 'alice', ha1 } });
  const { tell, offer } = open({}, { users });
  t.equal(await tell(answer(offer(), { address: '2001:db8:1:2::1' })), 'verified');
  t.equal(await tell(answer(offer(), { login: { password: 'x' } })), 'password_wrong');
  t.strictSame(askers, [
    { block: '2001:db8:1', share: 1 },
    { block: '192.0.2.1', share: 1 },
  ]);
  const nobody = open({}, { users: storeOf({ kind: 'unknown' }).users });
  t.equal(await nobody.tell(answer(nobody.offer())), 'password_wrong');
});

t.test('an unavailable store of users is an outage, and counts against no address', async (t) => {
  const out = outage('users', 1, 'gone');
  const { tell, offer, scheme } = open({}, { users: storeOf(out).users });
  for (let n = 0; n < 5; n++) t.equal(await tell(answer(offer(), { login: { password: 'x' } })), 'outage');
  t.strictSame(await scheme.verify(answer(offer())), out);
});

t.test('without userhash the guesses of a name count together, with any algorithm', async (t) => {
  const { tell, offer } = open({ algorithms: ['MD5', 'SHA-256'], userhash: false });
  for (const algorithm of ['MD5', 'SHA-256', 'MD5'] as const)
    t.equal(await tell(answer(offer(algorithm), { login: { password: 'x' } })), 'password_wrong');
  t.equal(await tell(answer(offer('SHA-256'))), 'throttled');
});

t.test('a response without qop needs no body, and gets no proof of the server', async (t) => {
  const { scheme, offer } = open({ algorithms: ['MD5'], qop: ['auth', 'auth-int'], legacy_no_qop: true });
  const said = answer(offer(), { qop: undefined, method: 'POST', entity: 'whole' });
  t.equal(scheme.wantsEntity(said.head), undefined);
  t.match(scheme.verify(said), { kind: 'verified', answerFields: [] });
});
