import t, { type Test } from 'tap';
import { buildPasswords } from '../../src/base/passwords.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { type Echoed, echoUpstream } from '../support/echo-upstream.ts';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { type SettableClock, settableClock } from '../support/settable-clock.ts';
import { jwt } from '../support/tokens.ts';
import { userFile } from '../support/user-files.ts';

const APR1 = '$apr1$thTWWBSm$U.yohjCZA73Gf9qCWB7Hy1';
const RIGHT = 'Circle of Life';

const cheap = buildPasswords({ cost: { memory: 64, passes: 1, lanes: 1 } });

async function argon2(password: string): Promise<string> {
  const hashed = await cheap.hash(password);
  return hashed.kind === 'hashed' ? hashed.phc : '';
}

async function hooks(t: Test, more: Hooks = {}): Promise<TestGateway> {
  const { lines = `alice:${APR1}\nbob:${await argon2('builder')}\n`, block = {}, route = {}, file = {}, clock } = more;
  const basic = { realm: 'hooks', users: userFile(t, lines), scopes: { alice: 'orders.read' }, ...block };
  const routes = [
    { id: 'hook', match: { path: '/hooks/{name*}' }, auth: 'basic', basic, access: 'authenticated', ...route },
  ];
  return gateway(t, behind(await echoUpstream(t), { routes, ...file }), clock);
}

interface Hooks {
  readonly lines?: string;
  readonly block?: object;
  readonly route?: object;
  readonly file?: object;
  readonly clock?: SettableClock;
}

function call({ url }: TestGateway, authorization?: string, headers: Record<string, string> = {}): Promise<Response> {
  const given = authorization === undefined ? headers : { ...headers, authorization };
  return whole(fetch(`${url}/hooks/a`, { headers: given }));
}

/** Read to its end, so that its connection is free immediately. */
async function whole(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  return new Response(await response.arrayBuffer(), response);
}

async function code(response: Response): Promise<string> {
  return `${response.status} ${((await response.json()) as { code?: string }).code ?? ''}`.trim();
}

t.test(
  'the right password passes, and the upstream gets the name only from the gateway and no credential (advisories 24 and 26)',
  async (t) => {
    const running = await hooks(t);
    for (const [name, password] of [
      ['alice', RIGHT],
      ['bob', 'builder'],
    ] as const) {
      const response = await call(running, formatBasic(name, password), { 'X-AUTH_subject': 'admin' });
      t.equal(response.status, 200);
      const { headers } = (await response.json()) as Echoed;
      t.equal(headers['x-auth-subject'], name);
      t.notOk('authorization' in headers);
      t.notOk(JSON.stringify(headers).includes('admin'));
    }
  },
);

t.test(
  'missing, wrong and malformed credentials have different answers; an unknown user and a wrong password have the same',
  async (t) => {
    const running = await hooks(t, { block: { charset: 'UTF-8' } });
    const none = await call(running);
    t.equal(none.headers.get('www-authenticate'), 'Basic realm="hooks", charset="UTF-8"');
    t.equal(await code(none), '401 credential_missing');
    const [wrong, unknown] = await Promise.all([
      call(running, formatBasic('alice', 'x')),
      call(running, formatBasic('eve', 'x')),
    ]);
    const bodies = (await Promise.all([wrong.json(), unknown.json()])) as { code: string; detail: string }[];
    t.strictSame(
      bodies.map(({ code, detail }) => [code, detail]),
      Array(2).fill(['password_wrong', 'The username or the password is wrong.']),
    );
    t.equal(wrong.headers.get('www-authenticate'), unknown.headers.get('www-authenticate'));
    for (const broken of ['Basic', 'Basic !', 'Basic YWJj'])
      t.equal(await code(await call(running, broken)), '400 authorization_malformed');
    t.equal(await code(await call(running, 'Bearer abc')), '401 credential_missing', 'of another scheme: as none');
  },
);

t.test(
  'T30: after ten wrong passwords of one user from one address comes 429; other users, and later attempts, are checked',
  async (t) => {
    const clock = settableClock();
    const running = await hooks(t, { clock });
    for (let index = 0; index < 10; index++)
      t.equal(await code(await call(running, formatBasic('alice', `${index}`))), '401 password_wrong');
    const refused = await call(running, formatBasic('alice', RIGHT));
    t.equal(refused.headers.get('retry-after'), '900');
    t.equal(await code(refused), '429 login_throttled');
    t.equal((await call(running, formatBasic('bob', 'builder'))).status, 200);
    clock.advance(15 * 60_000);
    t.equal((await call(running, formatBasic('alice', RIGHT))).status, 200);
  },
);

t.test('the file sets how many wrong passwords are checked, and the pause after them', async (t) => {
  const clock = settableClock();
  const file = { login: { max_failures: 2, window: '30s' }, trusted_proxies: ['127.0.0.1'] };
  const running = await hooks(t, { clock, file });
  const from = (address: string) => ({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });
  const tried = async (name: string, password: string, address: string) =>
    code(await call(running, formatBasic(name, password), from(address)));
  for (const password of ['a', 'b']) t.equal(await tried('alice', password, '198.51.100.1'), '401 password_wrong');
  t.equal(await tried('alice', RIGHT, '198.51.100.1'), '429 login_throttled');
  t.equal(await tried('alice', RIGHT, '198.51.100.2'), '200', 'from elsewhere the user gets in');
  t.equal(await tried('bob', 'builder', '198.51.100.1'), '200', 'and others do from there');
  clock.advance(30_000);
  t.equal(await tried('alice', RIGHT, '198.51.100.1'), '200');
});

t.test('an address that tries many users is blocked for every next user', async (t) => {
  const file = { login: { max_failures: 2, window: '30s' }, trusted_proxies: ['127.0.0.1'] };
  const running = await hooks(t, { file });
  const from = (address: string) => ({ 'x-forwarded-for': address, 'x-forwarded-proto': 'https' });
  for (let index = 0; index < 20; index++)
    t.equal(
      await code(await call(running, formatBasic(`user${index}`, 'x'), from('198.51.100.1'))),
      '401 password_wrong',
    );
  const right = formatBasic('alice', RIGHT);
  t.equal(await code(await call(running, right, from('198.51.100.1'))), '429 login_throttled');
  t.equal(await code(await call(running, right, from('198.51.100.2'))), '200');
});

t.test('in a burst of guesses at most ten get a verdict', async (t) => {
  const running = await hooks(t);
  const guesses = Array.from({ length: 40 }, (_, index) => call(running, formatBasic('alice', `${index}`)));
  const met = await Promise.all((await Promise.all(guesses)).map(code));
  t.equal(met.filter((each) => each === '401 password_wrong').length, 10);
  const rest = new Set(met.filter((each) => each !== '401 password_wrong'));
  t.strictSame(
    [...rest].sort(),
    ['429 login_throttled', '503 passwords_saturated'],
    'nor does one address fill the queue',
  );
});

t.test('a password that was right is not hashed again for a minute', async (t) => {
  const clock = settableClock();
  const running = await hooks(t, { clock });
  const cacheOf = async () => {
    await (await call(running, formatBasic('alice', RIGHT))).arrayBuffer();
    return running.log.findLast((line) => 'cache' in line)?.cache;
  };
  t.equal(await cacheOf(), 'miss');
  t.equal(await cacheOf(), 'hit');
  clock.advance(60_001);
  t.equal(await cacheOf(), 'miss');
});

t.test('advisory 27: a cached result counts only for the same name and password', async (t) => {
  const lines = `a:${await argon2('bc')}\nab:${await argon2('c')}\n`;
  const running = await hooks(t, { lines });
  for (const [name, password, status] of [
    ['a', 'bc', 200],
    ['ab', 'c', 200],
    ['a', 'c', 401],
    ['ab', 'bc', 401],
    ['', 'abc', 401],
  ] as const) {
    const response = await call(running, formatBasic(name, password));
    t.equal(response.status, status, `${name}:${password}`);
    const said = (await response.json()) as Partial<Echoed>;
    t.equal(said.headers?.['x-auth-subject'], status === 200 ? name : undefined);
  }
});

t.test('a scope is required of a user as of a token', async (t) => {
  const running = await hooks(t, { route: { access: undefined, scope: 'orders.read' } });
  t.equal((await call(running, formatBasic('alice', RIGHT))).status, 200);
  t.equal(await code(await call(running, formatBasic('bob', 'builder'))), '403 scope_insufficient');
});

const proxied = { trusted_proxies: ['127.0.0.1'] };
const from = (proto: string) => ({ 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': proto });

t.test('semantics 16: over a network, the gateway offers and accepts Basic only with TLS', async (t) => {
  const running = await hooks(t, { file: proxied });
  const right = formatBasic('alice', RIGHT);
  t.equal((await call(running, right, from('https'))).status, 200);
  const open = await call(running, right, from('http'));
  t.notOk(open.headers.has('www-authenticate'));
  t.equal(await code(open), '403 transport_insecure');
  t.equal(await code(await call(running, undefined, from('http'))), '403 transport_insecure');
  const allowed = await hooks(t, { file: proxied, block: { allow_insecure: true } });
  t.equal((await call(allowed, right, from('http'))).status, 200);
});

t.test('a route with several schemes sends a challenge for each, strongest first', async (t) => {
  const digest = { realm: 'meters', users: userFile(t, ''), algorithms: ['MD5', 'SHA-256'] };
  const route = { auth: { any_of: ['basic', 'digest', 'bearer'] }, digest };
  const running = await hooks(t, { route, file: proxied });
  const names = async (headers: Record<string, string>) =>
    [
      ...((await call(running, undefined, headers)).headers.get('www-authenticate') ?? '').matchAll(
        /(Bearer|Basic) realm|Digest .*?algorithm=([\w-]+)/g,
      ),
    ].map(([, scheme, algorithm]) => scheme ?? algorithm);
  t.strictSame(await names(from('https')), ['Bearer', 'SHA-256', 'MD5', 'Basic']);
  t.strictSame(await names(from('http')), ['Bearer', 'SHA-256', 'MD5']);
  t.equal((await call(running, formatBasic('alice', RIGHT))).status, 200);
  t.equal((await call(running, `Bearer ${await jwt({}, { alg: 'HS256' })}`)).status, 200);
  const both = await fetch(`${running.url}/hooks/a?access_token=x`, {
    headers: { authorization: formatBasic('alice', RIGHT) },
  });
  t.equal(await code(both), '400 credential_repeated');
});

t.test('no password and no header with a password is logged, at any level (advisory 31)', async (t) => {
  const running = await hooks(t);
  for (const password of [RIGHT, 'not-the-password'])
    await (await call(running, formatBasic('alice', password))).arrayBuffer();
  const text = JSON.stringify(running.log);
  for (const secret of [RIGHT, 'not-the-password', formatBasic('alice', RIGHT).slice(6), APR1])
    t.notOk(text.includes(secret));
});
