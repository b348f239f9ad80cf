import { hash } from 'node:crypto';
import t, { type Test } from 'tap';
import { type DigestCredentials, formatDigest, type Protection } from '../../src/http-auth/digest.ts';
import { type DigestAlgorithmName, digestAlgorithmNamed } from '../../src/http-auth/digest-algorithms.ts';
import { digestResponse, storedHash, userHash } from '../../src/http-auth/digest-response.ts';
import { parseParameters } from '../../src/http-auth/parameters.ts';
import { echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { type SettableClock, settableClock } from '../support/settable-clock.ts';
import { digestLines, userFile } from '../support/user-files.ts';

const REALM = 'meters';
const [NAME, PASSWORD] = ['Jäsøn Doe', 'Secret, or not? £'];

async function meters(
  t: Test,
  digest: object = {},
  clock?: SettableClock,
  more: object = {},
  file: object = {},
): Promise<TestGateway> {
  const users = userFile(t, digestLines(NAME, REALM, PASSWORD) + digestLines('bob', REALM, 'builder'));
  const block = { realm: REALM, users, algorithms: ['SHA-256', 'MD5'], scopes: { [NAME]: 'orders.read' }, ...digest };
  const routes = [
    { id: 'meters', match: { path: '/meters/{rest*}' }, auth: 'digest', digest: block, scope: 'orders.read', ...more },
  ];
  return gateway(
    t,
    behind(await echoUpstream(t, { 'authentication-info': 'rspauth="of the upstream"' }), { routes, ...file }),
    clock,
  );
}

interface Sent {
  readonly username?: string;
  readonly password?: string;
  readonly algorithm?: DigestAlgorithmName | undefined;
  readonly path?: string;
  readonly uri?: string;
  readonly nc?: number;
  readonly cnonce?: string;
  readonly protection?: Protection | 'none';
  readonly method?: string;
  readonly body?: string;
  readonly more?: Partial<DigestCredentials>;
  /** Sent instead of what was hashed. */
  readonly swapped?: (header: string) => string;
}

type Challenge = ReadonlyMap<string, string>;

async function challengesOf(response: Response): Promise<readonly Challenge[]> {
  await response.arrayBuffer();
  const lines = (response.headers.get('www-authenticate') ?? '').split(/, (?=Digest )/);
  return lines.map((line) => {
    const parsed = parseParameters(line.replace(/^Digest /, ''));
    return parsed.kind === 'parameters' ? parsed.values : new Map();
  });
}

async function challenge({ url }: TestGateway, path = '/meters/7'): Promise<Challenge> {
  const [first = new Map()] = await challengesOf(await fetch(url + path));
  return first;
}

function header(of: Challenge, sent: Sent): string {
  const { username = NAME, password = PASSWORD, path = '/meters/7', nc = 1, cnonce = 'c', method = 'GET', body } = sent;
  const written = sent.algorithm ?? digestAlgorithmNamed(of.get('algorithm')) ?? 'SHA-256';
  const realm = of.get('realm') ?? '';
  const uri = sent.uri ?? path;
  const standard: Protection = { qop: 'auth', nc: nc.toString(16).padStart(8, '0') };
  const protection = sent.protection === 'none' ? undefined : (sent.protection ?? standard);
  const nonce = of.get('nonce') ?? '';
  const entity = body === undefined ? undefined : Buffer.from(body);
  const ha1 = storedHash(written, username, realm, password);
  const response = digestResponse({ algorithm: written, ha1, nonce, cnonce, protection, method, uri, entity });
  const opaque = of.get('opaque');
  const said = {
    username,
    userhash: false,
    realm,
    nonce,
    uri,
    response,
    algorithm: written,
    cnonce,
    opaque,
    protection,
    ...sent.more,
  };
  return formatDigest(said);
}

async function send(running: TestGateway, of: Challenge, sent: Sent = {}): Promise<Response> {
  const { path = '/meters/7', method = 'GET', body, swapped = (text: string) => text } = sent;
  const response = await fetch(running.url + path, {
    method,
    headers: { authorization: swapped(header(of, sent)) },
    ...(body !== undefined && { body }),
  });
  return new Response(await response.arrayBuffer(), response);
}

async function code(response: Response): Promise<string> {
  const body = (await response.json()) as { code?: string };
  return `${response.status} ${body.code ?? ''}`.trim();
}

const isStale = async (response: Response) => (await challengesOf(response))[0]?.get('stale') === 'true';

t.test('a challenge for each algorithm, each on a separate line, with one nonce and one opaque', async (t) => {
  const running = await meters(t);
  const response = await fetch(`${running.url}/meters/7`);
  t.equal(response.status, 401);
  const all = await challengesOf(response);
  t.strictSame(
    all.map((each) => each.get('algorithm')),
    ['SHA-256', 'MD5'],
  );
  t.equal(new Set(all.map((each) => each.get('nonce'))).size, 1);
  t.equal(new Set(all.map((each) => each.get('opaque'))).size, 1);
  t.match(Object.fromEntries(all[0] ?? []), { realm: REALM, qop: 'auth', charset: 'UTF-8', userhash: 'true' });
  t.notOk(all[0]?.has('stale'));
});

t.test(
  'the right password passes with every algorithm, and the upstream gets the name and no credential',
  async (t) => {
    const algorithms = ['SHA-256', 'SHA-256-sess', 'SHA-512-256', 'SHA-512-256-sess', 'MD5-sess', 'MD5'] as const;
    const running = await meters(t, { algorithms });
    for (const algorithm of algorithms) {
      const response = await send(running, await challenge(running), { algorithm });
      t.equal(response.status, 200, algorithm);
      const { headers } = (await response.json()) as { headers: Record<string, string> };
      t.equal(Buffer.from(headers['x-auth-subject'] ?? '', 'latin1').toString(), NAME);
      t.equal(headers['x-auth-scope'], 'orders.read');
      t.notOk('authorization' in headers);
    }
  },
);

t.test('the answer proves that the gateway also knows the password, whatever the upstream says', async (t) => {
  const running = await meters(t);
  const of = await challenge(running);
  const response = await send(running, of);
  const info = response.headers.get('authentication-info') ?? '';
  const ha1 = storedHash('SHA-256', NAME, REALM, PASSWORD);
  const protection = { qop: 'auth', nc: '00000001' } as const;
  const nonce = of.get('nonce') ?? '';
  const rspauth = digestResponse({
    algorithm: 'SHA-256',
    ha1,
    nonce,
    cnonce: 'c',
    protection,
    method: '',
    uri: '/meters/7',
  });
  t.equal(info, `rspauth="${rspauth}", qop=auth, cnonce="c", nc=00000001`);
});

t.test('a name may be hashed, in Latin-1 or in the form of RFC 8187', async (t) => {
  const running = await meters(t);
  const hashed = { username: userHash('SHA-256', NAME, REALM), userhash: true };
  t.equal((await send(running, await challenge(running), { more: hashed })).status, 200);
  const latin = (text: string) => text.replace(/username\*=[^,]*/, `username="${NAME}"`);
  t.equal((await send(running, await challenge(running), { swapped: latin })).status, 200);
  const without = await meters(t, { userhash: false });
  t.equal(await code(await send(without, await challenge(without), { more: hashed })), '401 digest_mismatch');
});

t.test(
  'T48: a nonce count is accepted once, and then only a greater one; the refusal is stale with a new nonce',
  async (t) => {
    const running = await meters(t);
    const of = await challenge(running);
    t.equal((await send(running, of, { nc: 5 })).status, 200);
    for (const nc of [5, 4, 1]) {
      const again = await send(running, of, { nc });
      t.equal(again.status, 401);
      t.ok(await isStale(again), String(nc));
    }
    t.equal(await code(await send(running, of, { nc: 5 })), '401 nonce_replayed');
    t.equal((await send(running, of, { nc: 6 })).status, 200);
  },
);

t.test('in a window counts may arrive in any order, each once', async (t) => {
  const running = await meters(t, { nc: 'window' });
  const of = await challenge(running);
  const met = await Promise.all(
    [3, 1, 70, 2, 69, 8, 7, 6].map(async (nc) => `${nc} ${(await send(running, of, { nc })).status}`),
  );
  t.equal(met.filter((each) => each.endsWith('200')).length >= 6, true);
  for (const nc of [70, 69, 6, 1]) t.equal((await send(running, of, { nc })).status, 401, String(nc));
});

t.test('of a hundred equal simultaneous requests one passes', async (t) => {
  for (const nc of ['strict', 'window']) {
    const running = await meters(t, { nc });
    const of = await challenge(running);
    const all = await Promise.all(Array.from({ length: 100 }, () => send(running, of)));
    t.equal(all.filter(({ status }) => status === 200).length, 1, nc);
  }
});

t.test(
  'T48: a response that does not match a challenge of the route is refused, each with its own reason',
  async (t) => {
    const running = await meters(t, { algorithms: ['SHA-256'] });
    const of = await challenge(running);
    const cases: readonly (readonly [Sent, string])[] = [
      [{ path: '/meters/8', uri: '/meters/7' }, '400 digest_uri'],
      [{ path: '/meters/7?x=1', uri: '/meters/7' }, '400 digest_uri'],
      [{ path: '/meters/7', uri: 'http://other.example/meters/7' }, '400 digest_uri'],
      [{ protection: 'none' }, '401 digest_mismatch'],
      [{ algorithm: 'MD5' }, '401 digest_mismatch'],
      [{ more: { algorithm: undefined } }, '401 digest_mismatch'],
      [{ protection: { qop: 'auth-int', nc: '00000001' } }, '401 digest_mismatch'],
      [{ more: { opaque: 'other' } }, '401 digest_mismatch'],
      [{ more: { realm: 'other' } }, '401 digest_mismatch'],
      [{ more: { nonce: 'A'.repeat(43) } }, '401 nonce_invalid'],
      [{ password: 'wrong' }, '401 password_wrong'],
      [{ username: 'nobody' }, '401 password_wrong'],
      [{ method: 'GET', more: { response: '0'.repeat(64) } }, '401 password_wrong'],
      [{ nc: 0 }, '401 nonce_replayed'],
      [{ swapped: (text) => `${text}, uri="/meters/7"` }, '400 authorization_malformed'],
      [{ swapped: () => 'Digest' }, '400 authorization_malformed'],
      [{ swapped: () => 'Basic YTpi' }, '401 credential_missing'],
      [{ swapped: () => 'Bearer abc' }, '401 credential_missing'],
    ];
    for (const [sent, expected] of cases)
      t.equal(await code(await send(running, of, sent)), expected, JSON.stringify(sent));
    t.equal(
      await code(await send(running, of, { method: 'POST', swapped: () => header(of, { method: 'GET' }) })),
      '401 password_wrong',
    );
    t.equal((await send(running, of, { more: { opaque: undefined } })).status, 200, 'but an opaque may be dropped');
    const absolute = `${running.url}/meters/7`;
    t.equal((await send(running, of, { uri: absolute, nc: 2 })).status, 200, 'and the uri may be absolute');
  },
);

t.test('a scope is required of a user as of a token', async (t) => {
  const running = await meters(t);
  const of = await challenge(running);
  const response = await send(running, of, { username: 'bob', password: 'builder' });
  t.notOk(response.headers.has('www-authenticate'));
  t.equal(await code(response), '403 scope_insufficient');
});

t.test('an expired nonce gets stale, but only with the right password', async (t) => {
  const clock = settableClock();
  const running = await meters(t, { nonce_ttl: '10s' }, clock);
  const of = await challenge(running);
  clock.advance(9_000);
  t.equal((await send(running, of)).status, 200);
  clock.advance(2_000);
  t.notOk(await isStale(await send(running, of, { password: 'wrong', nc: 2 })));
  const late = await send(running, of, { nc: 3 });
  t.ok(await isStale(late.clone()));
  t.equal(await code(late), '401 nonce_stale');
});

t.test('near its expiry a nonce is followed by the next one, if that is enabled', async (t) => {
  const clock = settableClock();
  const running = await meters(t, { nonce_ttl: '10s', nextnonce: true }, clock);
  const of = await challenge(running);
  t.notMatch((await send(running, of)).headers.get('authentication-info'), /nextnonce/);
  clock.advance(8_500);
  const info = (await send(running, of, { nc: 2 })).headers.get('authentication-info') ?? '';
  const next = /nextnonce="([^"]{43})"/.exec(info)?.[1] ?? '';
  t.equal((await send(running, new Map([...of, ['nonce', next]]))).status, 200);
});

t.test('auth-int protects the body, which arrives as it was sent', async (t) => {
  const running = await meters(t, { qop: ['auth', 'auth-int'], auth_int: { max_body: '1KiB' } });
  const of = await challenge(running);
  t.equal(of.get('qop'), 'auth, auth-int');
  const integrity = (nc: number): Sent => ({ method: 'POST', protection: { qop: 'auth-int', nc: `0000000${nc}` } });
  const response = await send(running, of, { ...integrity(1), body: 'a=1&b=2' });
  t.equal(response.status, 200);
  t.match(await response.json(), { body: 'a=1&b=2', method: 'POST' });
  const changed = { ...integrity(2), body: 'a=1&b=3' };
  const swapped = () => header(of, { ...integrity(2), body: 'a=1&b=2' });
  t.equal(await code(await send(running, of, { ...changed, swapped })), '401 password_wrong');
  t.equal(await code(await send(running, of, { ...integrity(3), body: 'x'.repeat(1025) })), '413 integrity_too_large');
  t.equal((await send(running, of, { ...integrity(4), body: '' })).status, 200, 'no body is an empty one');
  t.equal((await send(running, of, { method: 'POST', body: 'x'.repeat(4096), nc: 5 })).status, 200, 'auth reads none');
});

t.test('RFC 2069 is accepted if the route allows it, each nonce once', async (t) => {
  const running = await meters(t, { legacy_no_qop: true });
  const of = await challenge(running);
  const legacy: Sent = { algorithm: 'MD5', protection: 'none', more: { algorithm: undefined, cnonce: undefined } };
  t.equal((await send(running, of, legacy)).status, 200);
  t.ok(await isStale(await send(running, of, legacy)));
  t.ok(await isStale(await send(running, of)), 'nor is it taken with a count any more');
  t.equal(
    await code(await send(running, of, { ...legacy, algorithm: 'SHA-256', more: { cnonce: undefined } })),
    '401 digest_mismatch',
  );
});

t.test('a session may keep the cnonce of its first request, or use a new one each time', async (t) => {
  const running = await meters(t, { algorithms: ['SHA-256-sess'] });
  const of = await challenge(running);
  t.equal((await send(running, of, { cnonce: 'first' })).status, 200);
  const nonce = of.get('nonce') ?? '';
  const h = (...parts: readonly string[]) => hash('sha256', parts.join(':'));
  const session = h(storedHash('SHA-256', NAME, REALM, PASSWORD), nonce, 'first');
  const response = h(session, nonce, '00000002', 'second', 'auth', h('GET', '/meters/7'));
  t.equal((await send(running, of, { cnonce: 'second', nc: 2, more: { response } })).status, 200);
  t.equal((await send(running, of, { cnonce: 'third', nc: 3 })).status, 200);
  t.equal(await code(await send(running, of, { cnonce: 'second', nc: 4, more: { response } })), '401 password_wrong');
});

t.test('ten wrong passwords of one user from one address are checked, and other users still pass', async (t) => {
  const clock = settableClock();
  const running = await meters(t, {}, clock);
  const of = await challenge(running);
  for (let nc = 1; nc <= 10; nc++)
    t.equal(await code(await send(running, of, { password: 'wrong', nc })), '401 password_wrong');
  const response = await send(running, of, { nc: 11 });
  t.equal(response.headers.get('retry-after'), '900');
  t.equal(await code(response), '429 login_throttled');
  t.equal((await send(running, of, { username: 'bob', password: 'builder' })).status, 403, 'bob is known all the same');
  clock.advance(15 * 60_000);
  t.equal((await send(running, await challenge(running))).status, 200);
});

t.test('guesses count together, whether they contain the user or a hash of the name', async (t) => {
  const running = await meters(t);
  const of = await challenge(running);
  for (const algorithm of ['SHA-256', 'MD5'] as const) {
    const hashed = { algorithm, more: { username: userHash(algorithm, NAME, REALM), userhash: true } };
    const names = [{ algorithm }, hashed] as const;
    for (let nc = 1; nc <= 10; nc++) await send(running, of, { password: 'wrong', nc, ...names[nc % 2] });
    for (const name of names) t.equal(await code(await send(running, of, name)), '429 login_throttled', algorithm);
  }
});

t.test('which guesses count together does not reveal whether the user exists', async (t) => {
  const running = await meters(t, {}, undefined, {}, { login: { max_failures: 3, window: '15m' } });
  const of = await challenge(running);
  const seen = async (username: string) => {
    const as = (algorithm: 'SHA-256' | 'MD5') => ({ username: userHash(algorithm, username, REALM), userhash: true });
    const forms = [
      ...Array.from({ length: 3 }, () => ({ algorithm: 'SHA-256' as const })),
      { algorithm: 'SHA-256' as const, more: as('SHA-256') },
      { algorithm: 'MD5' as const, more: as('MD5') },
      { algorithm: 'MD5' as const },
    ];
    const codes: string[] = [];
    for (const form of forms) codes.push(await code(await send(running, of, { username, password: 'wrong', ...form })));
    return codes;
  };
  t.strictSame(await seen('bob'), await seen('nobody'));
});

t.test('with `bind_ip` a nonce works only from the address that got it', async (t) => {
  const file = { trusted_proxies: ['127.0.0.1'] };
  const running = await meters(t, { bind_ip: true }, undefined, {}, file);
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const asked = await fetch(`${running.url}/meters/7`, { headers: from('198.51.100.1') });
  const [of = new Map()] = await challengesOf(asked);
  const sent = (address: string, nc: number) =>
    fetch(`${running.url}/meters/7`, { headers: { ...from(address), authorization: header(of, { nc }) } });
  t.equal(await code(await sent('198.51.100.2', 1)), '401 nonce_invalid');
  t.equal(await code(await sent('198.51.100.1', 2)), '200');
});

t.test(
  'T48: the uri may be what a trusted proxy received, in a header that the file names; an untrusted header changes nothing',
  async (t) => {
    const moved = { path: '/meters/7', uri: '/api/meters/7' };
    const sent = async (running: TestGateway, fields: Record<string, string>) => {
      const authorization = header(await challenge(running), moved);
      return code(await fetch(running.url + moved.path, { headers: { authorization, ...fields } }));
    };
    const uri_from = ['X-Original-URI', 'X-Forwarded-Uri', 'X-Forwarded-Prefix'];
    const behindProxy = await meters(t, { uri_from }, undefined, {}, { trusted_proxies: ['127.0.0.1'] });
    const stranger = await meters(t, { uri_from });
    const passesOn = await meters(t, {}, undefined, {}, { trusted_proxies: ['127.0.0.1'] });
    for (const fields of [
      { 'x-original-uri': moved.uri },
      { 'x-forwarded-uri': moved.uri },
      { 'x-forwarded-prefix': '/api' },
    ] as readonly Record<string, string>[]) {
      t.equal(await sent(behindProxy, fields), '200', JSON.stringify(fields));
      t.equal(await sent(stranger, fields), '400 digest_uri', JSON.stringify(fields));
      t.equal(await sent(passesOn, fields), '400 digest_uri', `not named: ${JSON.stringify(fields)}`);
    }
    t.equal(await sent(behindProxy, { 'x-original-uri': '/api/meters/8' }), '400 digest_uri');
  },
);

t.test("advisory 26: a Digest client's identity header is removed in every spelling", async (t) => {
  const running = await meters(t);
  for (const name of ['X-Auth-Subject', 'x-auth-subject', 'X-AUTH_SUBJECT', 'X_Auth_Subject', 'x_auth-Scope']) {
    const authorization = header(await challenge(running), {});
    const response = await fetch(`${running.url}/meters/7`, { headers: { authorization, [name]: 'admin' } });
    t.equal(response.status, 200, name);
    t.notOk((await response.text()).includes('admin'), name);
  }
});
