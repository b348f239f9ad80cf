import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { buildLog } from '../../../src/base/log.ts';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { memoryCounters } from '../../../src/counters/memory.ts';
import { openSchemes } from '../../../src/gateway/generation/open-schemes.ts';
import { emptyReloadPool } from '../../../src/gateway/generation/reload-pool.ts';
import { Lease } from '../../../src/gateway/message/lease.ts';
import { formatBasic } from '../../../src/http-auth/basic.ts';
import { collector } from '../../authorization/running-service.ts';
import { settableClock } from '../../support/settable-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { digestLines, userFile } from '../../support/user-files.ts';
import { headOf } from '../head.ts';
import { answer, offerOf, present, user } from '../schemes/presenting.ts';

const line = (password: string) => `alice:{SHA}${createHash('sha1').update(password).digest('base64')}\n`;

interface Given {
  readonly routes: readonly object[];
  readonly more?: object;
}

function house(t: Test) {
  const clock = settableClock();
  const kept = emptyReloadPool();
  const { written, sink } = collector();
  t.teardown(() => kept.close());
  const counters = memoryCounters(clock);
  const open = ({ routes, more }: Given, lease = new Lease()) => {
    const loaded = loadGatewayText(
      JSON.stringify({
        version: 1,
        listen: '127.0.0.1:0',
        upstreams: { api: { url: 'http://127.0.0.1:9' } },
        defaults: { upstream: 'api' },
        login: { max_failures: 2 },
        routes,
        ...more,
      }),
    );
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const log = buildLog({ level: 'trace', format: 'json' }, sink);
    const schemes = openSchemes(loaded.config, { clock, log, kept, counters, directory: '/' }, lease);
    const of = (index: number) => schemes.of(loaded.config.routes[index] as (typeof loaded.config.routes)[number]);
    return { schemes, of, lease };
  };
  return { open, clock, written };
}

const route = (id: string, more: object) => ({ id, match: { path: `/${id}` }, access: 'authenticated', ...more });
const insecure = { allow_insecure: true };

t.test('a route accepts only the schemes that it names, Digest before Basic', async (t) => {
  const users = userFile(t, line('x'));
  const digest = { realm: 'd', users: userFile(t, digestLines('alice', 'd', user.password)) };
  const { open } = house(t);
  const { of } = open({
    routes: [
      route('both', { auth: { any_of: ['basic', 'digest'] }, basic: { users, ...insecure }, digest }),
      route('basic', { auth: 'basic', basic: { users, realm: 'own', ...insecure } }),
      route('public', { access: 'public' }),
    ],
    more: { realm: 'file' },
  });
  const lines = (index: number) => of(index).flatMap((scheme) => scheme.challenges(headOf(), false));
  t.strictSame(
    of(0).map(({ name }) => name),
    ['digest', 'basic'],
  );
  t.match(lines(0), [/^Digest realm="d"/, /^Basic realm="file"/]);
  t.match(lines(1), [/^Basic realm="own"/]);
  t.strictSame(of(2), []);
});

t.test('users of a file are checked against it, and guesses count on all routes of a realm together', async (t) => {
  const users = userFile(t, line('wonderland'));
  const { open } = house(t);
  const basic = { users, ...insecure };
  const { of } = open({ routes: [route('a', { auth: 'basic', basic }), route('b', { auth: 'basic', basic })] });
  const tell = async (index: number, password: string) =>
    (await of(index)[0]?.verify(present(formatBasic('alice', password))))?.kind;
  t.equal(await tell(0, 'wonderland'), 'verified');
  t.equal(await tell(0, 'x'), 'refused');
  t.equal(await tell(1, 'y'), 'refused');
  t.equal(await tell(0, 'z'), 'throttled');
});

t.test('after a reload a right password stays right until its file, block or counter changes', async (t) => {
  const users = userFile(t, line('wonderland'));
  const { open } = house(t);
  const given = (more: object = {}, file: object = {}) => ({
    routes: [route('a', { auth: 'basic', basic: { users, ...insecure, ...more } })],
    more: file,
  });
  const lease = new Lease();
  const first = open(given(), lease).of(0)[0];
  t.equal(open(given(), lease).of(0)[0], first);
  t.not(open(given({ realm: 'other' }), lease).of(0)[0], first);
  t.not(open(given({ scopes: { alice: 'a' } }), lease).of(0)[0], first);
  t.not(open(given({}, { login: { max_failures: 5 } }), lease).of(0)[0], first);
  writeFileSync(users, line('changed'));
  const after = open(given(), lease).of(0)[0];
  t.not(after, first);
  t.match(await after?.verify(present(formatBasic('alice', 'wonderland'))), { kind: 'refused' });
});

t.test('nonces survive a reload with the same keys, and end with others', async (t) => {
  const digest = { realm: 'd', users: userFile(t, digestLines('alice', 'd', user.password)) };
  const { open } = house(t);
  const [key, other] = [Buffer.alloc(32, 1).toString('base64'), Buffer.alloc(32, 2).toString('base64')];
  const lease = new Lease();
  const of = (nonce_keys?: readonly string[]) =>
    open({ routes: [route('a', { auth: 'digest', digest })], more: { nonce_keys } }, lease).of(0)[0];
  const first = of([key]);
  const offer = offerOf(first?.challenges(headOf(), false) ?? []);
  t.match(await first?.verify(answer(offer)), { kind: 'verified' });
  t.match(await of([key])?.verify(answer(offer)), { kind: 'refused', code: 'nonce_replayed' }, 'with its counts');
  t.match(await of([other, key])?.verify(answer(offer)), { code: 'nonce_replayed' }, 'also beside a new key');
  const bare = (text: string) => text.replace(/, opaque="[^"]+"/, '');
  t.match(
    await of([other])?.verify(answer(offer, { count: 2 })),
    { code: 'digest_mismatch' },
    'its opaque is not ours',
  );
  t.match(await of([other])?.verify(answer(offer, { count: 2, change: bare })), { code: 'nonce_invalid' });
  const random = of();
  const given = offerOf(random?.challenges(headOf(), false) ?? []);
  t.match(await of()?.verify(answer(given)), { kind: 'verified' }, 'random ones live as long as the process');
});

t.test('a file of users that became invalid accepts no user, and the log says so', async (t) => {
  const users = userFile(t, line('wonderland'));
  const hashes = userFile(t, digestLines('alice', 'd', user.password));
  const { open, written } = house(t);
  const routes = [
    route('a', { auth: 'basic', basic: { users, ...insecure } }),
    route('b', { auth: 'digest', digest: { realm: 'd', users: hashes } }),
  ];
  const { schemes, of } = open({ routes });
  t.match(await of(0)[0]?.verify(present(formatBasic('alice', 'wonderland'))), { kind: 'verified' });
  rmSync(users);
  rmSync(hashes);
  t.match(await of(0)[0]?.verify(present(formatBasic('alice', 'wonderland'))), { code: 'password_wrong' });
  const digest = of(1)[0];
  t.match(await digest?.verify(answer(offerOf(digest.challenges(headOf(), false)))), { code: 'password_wrong' });
  const told = written();
  t.match(told, users);
  t.match(told, hashes);
  t.match(told, 'none of its users can log in');
  t.ok(schemes);
});

t.test('without a store of users it is ready immediately', async (t) => {
  const { open } = house(t);
  const { schemes } = open({ routes: [route('a', { access: 'public' })] });
  t.ok(schemes.ready());
  await schemes.start();
  t.ok(schemes.ready());
});

t.test('a store of users is opened before it is ready; with only an unreachable store it is not', async (t) => {
  const { open } = house(t);
  const users = { storage: `sqlite:${temporaryFolder(t)}/none.db` };
  const basic = { users, ...insecure };
  const routes = [route('a', { auth: 'basic', basic }), route('b', { auth: 'basic', basic })];
  const { schemes, of } = open({ routes });
  t.equal(of(0)[0], of(1)[0], 'one for all routes that name it');
  t.notOk(schemes.ready());
  await schemes.start();
  t.notOk(schemes.ready());
  t.match(await of(0)[0]?.verify(present(formatBasic('alice', 'x'))), { kind: 'outage', dependency: 'users' });
  const servers = { authorization_servers: { main: { issuer: 'https://auth.example.com', audience: 'any' } } };
  const beside = open({ routes, more: servers });
  beside.of(0);
  await beside.schemes.start();
  t.ok(beside.schemes.ready(), 'beside an authorization server the rest works');
});
