import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { stringify } from 'yaml';
import { judgeNode } from '../../src/commands/doctor/machine.ts';
import { command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { http2Upstream } from '../support/http2-upstream.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { serving } from '../support/serving.ts';
import { tlsUpstream } from '../support/tls-upstream.ts';
import {
  api,
  audience,
  authorization,
  doctored,
  expectSeen,
  fileIn,
  listeners,
  main,
  routes,
  secret,
  vector,
  withServer,
} from './doctored.ts';

/** Starts Redis and programs: 48 s in .ci/run on a busy machine. */
t.setTimeout(300_000);

t.test('in a working setup everything is fine, whether the gateway runs or not', async (t) => {
  const { issuer, storage } = await authorization(t);
  const tls = await tlsUpstream(t);
  const h2 = await http2Upstream(t);
  const file = fileIn(t, 'gateway.yaml', {
    ...(await listeners()),
    upstreams: {
      plain: { url: await api(t) },
      secure: { url: tls.url, tls: { ca: vector('authority.crt') } },
      two: { url: h2.url, http2: true },
    },
    defaults: { upstream: 'plain' },
    authorization_servers: { main: main(issuer) },
    routes: [
      ...routes,
      {
        match: { path: '/b' },
        access: 'authenticated',
        auth: 'basic',
        basic: { users: { storage }, allow_insecure: true },
      },
    ],
  });
  const found = await doctored(t, file, {});
  const rows: readonly (readonly [string, RegExp])[] = [
    [file, /^valid$/],
    ['Node.js', /^\d+\.\d+\.\d+$/],
    ['the clock of this machine', /^20/],
    ['listen 127.0.0.1:', /^free$/],
    ['health 127.0.0.1:', /^free$/],
    ['upstreams.plain', /^connects$/],
    ['upstreams.secure', /^connects, the certificate verifies, \d+ days left$/],
    ['upstreams.two', /^connects/],
    ['authorization_servers.main metadata', /jwks_uri is http/],
    ['authorization_servers.main metadata', /introspection_endpoint is http/],
    ['authorization_servers.main keys', /usable/],
    ['authorization_servers.main introspection as gateway', /accepts our credentials/],
    ['authorization_servers.main revocation feed', /up to date/],
    ['authorization_servers.main clock', /^agrees with ours$/],
    ['users of basic sqlite:', /^can be read$/],
    ['the mode of gateway.yaml', /^readable by its owner only/],
    ['open files', /at most \d+ are needed$/],
  ];
  for (const [name, words] of rows) expectSeen(t, found, name, 'good', words);
  t.strictSame(
    found.findings.filter(({ verdict }) => verdict === 'bad'),
    [],
  );
  t.equal(found.status, 0);

  const running = command(t, ['gateway', '--config', file]);
  t.ok(await running.prints('gateway is listening'), running.stderr());
  const beside = await doctored(t, file);
  expectSeen(t, beside, 'listen', 'good', /^held by a Gatehouse that is ready$/);
  expectSeen(t, beside, 'health', 'good', /^held by a Gatehouse that is ready$/);
  expectSeen(
    t,
    beside,
    'the running gateway',
    'good',
    /^our own listener reads requests in the way that costs the least CPU; \d+ MiB/,
  );
  t.equal(beside.status, 0);
});

t.test('a running gateway that has not loaded the file is a finding, with what makes it load the file', async (t) => {
  const rest = {
    ...(await listeners()),
    trusted_proxies: ['127.0.0.1'],
    upstreams: { api: { url: await api(t) } },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/a' }, access: 'public' }],
  };
  const file = fileIn(t, 'gateway.yaml', rest);
  const running = command(t, ['gateway', '--config', file]);
  t.ok(await running.prints('gateway is listening'), running.stderr());
  const changed = {
    version: 1,
    ...rest,
    decision: { listen: `127.0.0.1:${await freePort()}` },
    routes: [...rest.routes, { match: { path: '/b' }, access: 'public' }],
  };
  writeFileSync(file, stringify(changed));
  t.ok(await running.prints('waits for a reload request'), running.stderr());
  const waiting = await doctored(t, file);
  expectSeen(t, waiting, 'the running gateway', 'doubtful', /^the file on the disk is not active: it may allow more/);
  expectSeen(t, waiting, 'decision', 'doubtful', /^no program listens there, although a Gatehouse runs/);
  expectSeen(t, waiting, 'listen', 'good', /^held by a Gatehouse that is ready$/);

  writeFileSync(file, 'version: 1\nroutes: [{ id: r }]\n');
  t.ok(await running.prints('the configuration was rejected'), running.stderr());
  writeFileSync(join(dirname(file), 'whole.yaml'), stringify({ version: 1, ...rest }), { mode: 0o600 });
  expectSeen(
    t,
    await doctored(t, join(dirname(file), 'whole.yaml')),
    'the running gateway',
    'bad',
    /^the file on the disk is not active: the gateway rejected it/,
  );
});

t.test('an access log: a writable file, a folder that is not writable, and standard output', async (t) => {
  const gateway = { upstreams: { api: { url: 'http://127.0.0.1:9' } }, defaults: { upstream: 'api' } };
  const open = [{ match: { path: '/a' }, access: 'public' }];
  const with_ = async (access_log: object) =>
    doctored(t, fileIn(t, 'gateway.yaml', { ...(await listeners()), ...gateway, routes: open, access_log }));
  expectSeen(t, await with_({ file: 'access.log' }), 'access log access.log', 'good', /^can be written/);
  const refused = await with_({ file: '/proc/access.log' });
  expectSeen(t, refused, 'access log', 'bad', /cannot write to \/proc|0 MiB are free/);
  t.strictSame((await with_({})).about('access log'), []);
});

t.test('a proxy with another host in X-Forwarded-Host is reported, with the key that makes it trusted', async (t) => {
  const upstreams = { api: { url: await api(t) } };
  const open = [{ match: { path: '/a' }, access: 'public' }];
  const addresses = { ...(await listeners()), trusted_proxies: ['127.0.0.1'] };
  const file = fileIn(t, 'gateway.yaml', { ...addresses, upstreams, defaults: { upstream: 'api' }, routes: open });
  t.strictSame((await doctored(t, file)).about('trusted_proxies'), [], 'known only while it runs');
  const running = command(t, ['gateway', '--config', file]);
  t.ok(await running.prints('gateway is listening'), running.stderr());
  expectSeen(t, await doctored(t, file), 'trusted_proxies', 'good', /^no request had different hosts/);
  const url = `http://${(addresses as { listen?: string }).listen}/a`;
  await fetch(url, { headers: { 'X-Forwarded-Host': 'shop.example' } });
  const found = await doctored(t, file);
  expectSeen(t, found, 'trusted_proxies', 'doubtful', /^1 requests had different hosts/);
  const { remedy } = found.findings.find(({ about }) => about === 'trusted_proxies') ?? {};
  t.match(remedy, '`trusted_proxies: { from: [127.0.0.1], host: forwarded }`');
});

t.test('a file that does not load is reported with its places, and checks that need no file still run', async (t) => {
  const file = fileIn(t, 'gateway.yaml', { upstreams: {}, rutes: [] });
  const found = await doctored(t, file);
  expectSeen(t, found, `${file}:`, 'bad', /rutes/);
  expectSeen(t, found, 'Node.js', 'good', /./);
  t.equal(found.status, 1);
  const { status, stdout } = await command(t, ['doctor', '--config', `${file}.missing`]).ended();
  t.match({ status, stdout }, { status: 1, stdout: /^✗ .*missing.*: the file does not exist → /m });
});

t.test('a missing file is an error, and the remedy says where doctor searched', async (t) => {
  const { status, stdout } = await command(t, ['doctor', '--config', 'nowhere.yaml']).ended();
  t.equal(status, 1);
  t.match(stdout, /✗ nowhere\.yaml:1:1: the file does not exist/);
  t.match(stdout, `paths are relative to ${process.cwd()}`);
  t.notMatch(stdout, 'shows the line');
});

t.test('a failing test of the file is an error, as with check', async (t) => {
  const tests = [{ request: 'GET /a', expect: { forward: true } }];
  const upstreams = { api: { url: await api(t) } };
  const file = fileIn(t, 'gateway.yaml', {
    upstreams,
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/b' }, access: 'public' }],
    tests,
  });
  const found = await doctored(t, file);
  expectSeen(t, found, `${file}:`, 'bad', /404/);
  expectSeen(t, found, 'upstreams.api', 'good', /^connects$/);
});

t.test('addresses: used by another program, not on this machine, of a gateway that does not answer', async (t) => {
  const stranger = createServer((socket) => socket.destroy());
  await new Promise<void>((listening) => stranger.listen(0, '127.0.0.1', listening));
  t.teardown(() => stranger.close());
  const { port } = stranger.address() as AddressInfo;
  const rest = {
    upstreams: { api: { url: await api(t) } },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/b' }, access: 'public' }],
  };
  const asked = {
    ...rest,
    listen: `127.0.0.1:${port}`,
    health: `127.0.0.1:${await freePort()}`,
    admin: '192.0.2.1:9900',
  };
  const found = await doctored(t, fileIn(t, 'gateway.yaml', asked));
  expectSeen(t, found, 'listen', 'bad', /^held by another program/);
  expectSeen(t, found, 'admin', 'bad', /^is not an address of this machine$/);
  const unasked = await doctored(t, fileIn(t, 'gateway.yaml', { ...rest, listen: `127.0.0.1:${port}` }));
  expectSeen(t, unasked, 'listen', 'doubtful', /cannot be identified/);
});

t.test('upstreams: not reachable, unknown name, rejected certificate, no TLS, no HTTP/2', async (t) => {
  const [plain, tls] = [await api(t), await tlsUpstream(t)];
  const self = await tlsUpstream(t, {
    cert: readFileSync(vector('self-signed.crt')),
    key: readFileSync(vector('self-signed.key')),
  });
  const ca = { ca: vector('authority.crt') };
  const broken: Readonly<Record<string, readonly [object, RegExp]>> = {
    nobody: [{ url: `http://127.0.0.1:${await freePort()}` }, /ECONNREFUSED/],
    nameless: [{ url: 'http://no-such-host.invalid' }, /ENOTFOUND|EAI_AGAIN|no answer within 3 s|TIMEOUT/],
    unknown: [{ url: tls.url }, /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO/],
    selfmade: [{ url: self.url, tls: ca }, /SELF_SIGNED|UNABLE_TO/],
    misnamed: [{ url: tls.url, tls: { ...ca, server_name: 'other.example.com' } }, /ERR_TLS_CERT_ALTNAME_INVALID/],
    unencrypted: [{ url: plain.replace('http:', 'https:') }, /ERR_SSL|EPROTO/],
    one: [{ url: tls.url, tls: ca, http2: true }, /NO_HTTP2|NO_APPLICATION_PROTOCOL/],
  };
  const upstreams = Object.fromEntries(Object.entries(broken).map(([name, [upstream]]) => [name, upstream]));
  const routesTo = Object.keys(broken).map((upstream) => ({
    match: { path: `/${upstream}` },
    access: 'public',
    upstream,
  }));
  const found = await doctored(t, fileIn(t, 'gateway.yaml', { ...(await listeners()), upstreams, routes: routesTo }));
  for (const [name, [, words]] of Object.entries(broken)) expectSeen(t, found, `upstreams.${name} `, 'bad', words);
  t.equal(found.status, 1);
});

t.test('stores of tokens and users: missing, without tables, of a newer version', async (t) => {
  const file = async (storage: string, more: Readonly<Record<string, string>> = {}) => {
    const users = { access: 'authenticated', auth: 'digest', digest: { realm: 'meters', users: { storage } } };
    const server = { issuer: 'http://127.0.0.1:9', verify: 'store', storage, audience };
    const rest = {
      upstreams: { api: { url: await api(t) } },
      defaults: { upstream: 'api' },
      authorization_servers: { main: server },
    };
    return fileIn(
      t,
      'gateway.yaml',
      { ...(await listeners()), ...rest, routes: [...routes, { match: { path: '/b' }, ...users }] },
      more,
    );
  };
  const absent = await doctored(t, await file('sqlite:none.db'));
  expectSeen(t, absent, 'authorization_servers.main sqlite:', 'bad', /there is no database/);
  expectSeen(t, absent, 'users of digest sqlite:', 'bad', /there is no database/);
  const foreign = await doctored(t, await file('sqlite:a.db', { 'a.db': '' }));
  expectSeen(t, foreign, 'authorization_servers.main sqlite:', 'bad', /no such table/);
  const { directory, storage } = await authorization(t);
  const database = new DatabaseSync(join(directory, 'a.db'), { timeout: 5_000 });
  database.exec("INSERT INTO migration VALUES (9999, 'later', 'x', 0)");
  database.close();
  const newer = await doctored(t, await file(storage));
  expectSeen(t, newer, 'authorization_servers.main sqlite:', 'bad', /has version 9999/);
});

t.test(
  'counters: a Redis that answers, one that loses nonces, a replica, and none',
  { skip: skipWithoutRedis },
  async (t) => {
    const redis = await redisServer(t);
    const users = 'alice:meters:939e7578ed9e3c518a452acee763bce9\n';
    const digest = {
      match: { path: '/b' },
      access: 'authenticated',
      auth: 'digest',
      digest: { realm: 'meters', users: 'users', algorithms: ['MD5'] },
    };
    const file = fileIn(
      t,
      'gateway.yaml',
      {
        ...(await listeners()),
        upstreams: { api: { url: await api(t) } },
        defaults: { upstream: 'api' },
        counters: redis.url,
        nonce_keys: [Buffer.alloc(32, 7).toString('base64')],
        routes: [digest],
      },
      { users },
    );
    const set = (...words: string[]) => spawnSync('redis-cli', ['-u', redis.url, ...words]);
    const well = await doctored(t, file);
    for (const words of [/^answers$/, /^agrees with ours$/, /does not evict nonces/])
      expectSeen(t, well, 'counters', 'good', words);
    t.strictSame(await redis.keys(), [], 'nothing was written there');
    set('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    expectSeen(t, await doctored(t, file), 'counters', 'bad', /allkeys-lru/);
    set('replicaof', '127.0.0.1', String(await freePort()));
    expectSeen(t, await doctored(t, file), 'counters', 'bad', /is a slave/);
    await redis.kill();
    expectSeen(t, await doctored(t, file), 'counters', 'bad', /ECONNREFUSED/);
  },
);

t.test('certificates: a valid one, one that expires soon, and an expired one', async (t) => {
  const directory = t.testdir({});
  const [cert, key] = [join(directory, 'soon.crt'), join(directory, 'soon.key')];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '3',
    '-subj',
    '/CN=localhost',
    '-out',
    cert,
    '-keyout',
    key,
  ]);
  t.equal(made.status, 0);
  const file = async (tls: object) => {
    const listen = { host: '127.0.0.1', port: await freePort(), tls };
    const upstreams = { api: { url: 'https://localhost:9', tls } };
    return fileIn(t, 'gateway.yaml', {
      listen,
      upstreams,
      defaults: { upstream: 'api' },
      routes: [{ match: { path: '/b' }, access: 'public' }],
    });
  };
  const long = { cert: vector('server.crt'), key: vector('server.key') };
  const well = await doctored(t, await file(long));
  for (const name of ['listen.tls', 'upstreams.api.tls'])
    expectSeen(t, well, name, 'good', /^fits its key; \d+ days left$/);
  t.equal(well.about(`the mode of ${long.key}`).length, 1, 'the mode of the key is looked at, once');
  const soon = await doctored(t, await file({ cert, key }));
  for (const name of ['listen.tls', 'upstreams.api.tls']) expectSeen(t, soon, name, 'doubtful', /expires in [23] days/);
  const mixed = await doctored(t, await file({ cert, key: vector('server.key') }));
  t.ok(mixed.findings.some(({ verdict, message }) => verdict === 'bad' && message.includes('is not the key of')));
  // in ten days
  const later = await doctored(t, await file({ cert, key }), { flags: ['--import', clockAt(Date.now() + 864e6)] });
  for (const name of ['listen.tls', 'upstreams.api.tls']) expectSeen(t, later, name, 'bad', /expired on/);
});

/** For `--import`: stops the wall clock of the process there. */
function clockAt(milliseconds: number): string {
  return `data:text/javascript,Date.now = () => ${milliseconds}`;
}

t.test('a clock that starts at 1970 is an error', async (t) => {
  const found = await doctored(
    t,
    await withServer(t, {
      ...main('http://127.0.0.1:9'),
      verify: 'introspection',
      introspection_endpoint: 'http://127.0.0.1:9',
    }),
    {
      flags: ['--import', clockAt(86_400_000)],
    },
  );
  expectSeen(t, found, 'the clock of this machine', 'bad', /^1970-01-02/);
});

t.test('a Node.js that is too old is an error', async (t) => {
  for (const version of ['24.15.0', '24.16.1', '26.0.0'])
    t.match(judgeNode(version, '>=24.15'), { verdict: 'good' }, version);
  for (const version of ['24.14.9', '22.99.0'])
    t.match(judgeNode(version, '>=24.15'), { verdict: 'bad', remedy: /24\.15/ }, version);
});

t.test('an untrusted proxy that uses all of its share is a warning with its address', async (t) => {
  const named = ['192.0.2.7', '2001:db8::7'].map((address) => `gatehouse_untrusted_proxy{address="${address}"} 1`);
  const metrics = [...named, 'gatehouse_held_body_bytes 0', ''].join('\n');
  const health = new URL(
    await serving(
      t,
      createHttp((_, response) => response.end(metrics)),
    ),
  ).host;
  const file = fileIn(t, 'gateway.yaml', {
    listen: `127.0.0.1:${await freePort()}`,
    health,
    upstreams: { api: { url: await api(t) } },
    defaults: { upstream: 'api' },
    routes: [{ match: { path: '/a' }, access: 'public' }],
  });
  const seen = await doctored(t, file);
  for (const told of [/^192\.0\.2\.7 says that it is a proxy/, /^2001:db8::7 says that it is a proxy/])
    expectSeen(t, seen, 'trusted_proxies', 'doubtful', told);
});

t.test('a slower way to read requests, and a fallback of the engine, are warnings with their cost', async (t) => {
  const metrics = [
    'gatehouse_listener_reader{reader="data"} 2',
    'process_resident_memory_bytes 104857600',
    'gatehouse_upstream_engine_fallback{upstream="api",url="http://127.0.0.1:9"} 1',
    'gatehouse_upstream_engine_fallback{upstream="api",url="http://127.0.0.1:10"} 0',
    '',
  ].join('\n');
  const health = new URL(
    await serving(
      t,
      createHttp((_, response) => response.end(metrics)),
    ),
  ).host;
  const seen = await doctored(
    t,
    fileIn(t, 'gateway.yaml', {
      listen: `127.0.0.1:${await freePort()}`,
      health,
      upstreams: { api: { url: await api(t) } },
      defaults: { upstream: 'api' },
      routes: [{ match: { path: '/a' }, access: 'public' }],
    }),
  );
  expectSeen(t, seen, 'the running gateway', 'doubtful', /a buffer for each read, .*; 100 MiB are resident$/);
  expectSeen(t, seen, 'upstreams.api', 'doubtful', /^undici serves http:\/\/127\.0\.0\.1:9, /);
  t.notMatch(JSON.stringify(seen.findings), /127\.0\.0\.1:10,/);
});

t.test('a limit of open files below the number of connections is a warning', async (t) => {
  const file = await withServer(
    t,
    main('http://127.0.0.1:9', { verify: 'introspection', introspection_endpoint: 'http://127.0.0.1:9' }),
  );
  const limited = { node: 'bash', flags: ['-c', `ulimit -n 256; exec ${process.execPath} "$0" "$@"`] };
  const found = await doctored(t, file, limited);
  expectSeen(t, found, 'open files', 'doubtful', /^256 are allowed, and 10\d\d\d are needed/);
  expectSeen(t, found, 'upstreams.api', 'doubtful', /at most 96 connections, although `max_connections` is 256/);
});

t.test(
  'files of secrets that everyone may read are warnings: the file itself, included files, private keys',
  async (t) => {
    const server = main('http://127.0.0.1:9', {
      client_secret: `\${file:secret}`,
      verify: 'introspection',
      introspection_endpoint: 'http://127.0.0.1:9',
    });
    const included = fileIn(
      t,
      'gateway.yaml',
      {
        upstreams: { api: { url: 'http://127.0.0.1:9' } },
        defaults: { upstream: 'api' },
        authorization_servers: { main: server },
        routes,
      },
      { secret },
    );
    chmodSync(included, 0o644);
    const closed = await doctored(t, included);
    expectSeen(t, closed, 'the mode of secret', 'good', /^readable by its owner only/);
    t.strictSame(closed.about('the mode of gateway.yaml'), [], 'a file that holds none may be open');
    chmodSync(join(dirname(included), 'secret'), 0o644);
    expectSeen(t, await doctored(t, included), 'the mode of secret', 'doubtful', /other users/);
    const literal = await withServer(t, { ...server, client_secret: secret });
    chmodSync(literal, 0o644);
    expectSeen(t, await doctored(t, literal), 'the mode of gateway.yaml', 'doubtful', /other users/);
  },
);

t.test('doctor changes nothing: no file is created, written or touched, and no secret is printed', async (t) => {
  const { directory } = await authorization(t);
  const copy = t.testdir({});
  const database = new DatabaseSync(join(directory, 'a.db'), { timeout: 5_000 });
  database.exec(`VACUUM INTO '${join(copy, 'a.db')}'`);
  database.close();
  const idle = new DatabaseSync(join(copy, 'a.db'), { timeout: 5_000 });
  idle.exec('PRAGMA journal_mode = WAL');
  idle.close();
  const server = main('http://127.0.0.1:9', {
    verify: 'store',
    storage: `sqlite:${join(copy, 'a.db')}`,
    client_id: undefined,
    client_secret: undefined,
  });
  const file = await withServer(t, server);
  const state = () =>
    [copy, dirname(file)].flatMap((folder) =>
      readdirSync(folder).map(
        (name) => `${name} ${statSync(join(folder, name)).mtimeMs} ${statSync(join(folder, name)).size}`,
      ),
    );
  const before = state();
  const found = await doctored(t, file);
  expectSeen(t, found, 'authorization_servers.main sqlite:', 'good', /can be read/);
  t.strictSame(state(), before);
  const wrong = await withServer(t, main(`http://127.0.0.1:${await freePort()}`));
  const { stdout } = await command(t, ['doctor', '--config', wrong]).ended();
  t.notMatch(stdout, secret);
});

t.test('in text output: a line for each, with its mark and the remedy, and exit status 1', async (t) => {
  const file = await withServer(t, main(`http://127.0.0.1:${await freePort()}`));
  const { status, stdout } = await command(t, ['doctor', '--config', file]).ended();
  t.equal(status, 1);
  t.match(stdout, /^✓ upstreams\.api http:\/\/127\.0\.0\.1:\d+: connects$/m);
  t.match(stdout, /^✗ authorization_servers\.main metadata: http:\S+: ECONNREFUSED → nothing listens there/m);
  t.match(stdout, /^\d+ checks: 1 ✗, 0 !\n$/m);
  t.match(await command(t, ['doctor', '--help']).ended(), { status: 0, stdout: 'The command changes nothing' });
  t.match(await command(t, ['doctor', '--confg']).ended(), { status: 2, stderr: '--config' });
});
