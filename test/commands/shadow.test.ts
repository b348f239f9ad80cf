import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { command } from '../support/command.ts';
import { behind, gateway, gatewayYaml } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';

/** Starts thirty commands: 30 s beside a whole test run. */
t.setTimeout(180_000);

function logFile(t: Test, lines: readonly (object | string)[]): string {
  const file = join(temporaryFolder(t), 'gateway.log');
  writeFileSync(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  return file;
}

const first = Date.UTC(2026, 0, 1);
const line = (more: object) => ({
  level: 30,
  time: first,
  request_id: 'a',
  method: 'GET',
  host: 'api.example.com',
  path: '/orders/1',
  route: 'orders',
  code: 'forwarded',
  ...more,
});
const lacking = (client: string, held: readonly string[], more: object = {}) =>
  line({
    shadow: 'scope_insufficient',
    client,
    scope_needed: ['orders.read'],
    scope_held: held,
    scope_missing: 'orders.read',
    ...more,
  });

t.test(
  'the report lists who would be refused, by client, route and reason, with counts, times and examples',
  async (t) => {
    const file = logFile(t, [
      lacking('shop', ['orders.list', 'a']),
      lacking('shop', ['orders.list'], { path: '/orders/2', time: first + 60_000 }),
      lacking('till', []),
      line({ shadow: 'credential_missing' }),
      line({ shadow: 'pass' }),
      { level: 30, time: first, msg: 'gateway is listening' },
    ]);
    const { status, stdout } = await command(t, ['shadow', 'report', file]).ended();
    t.equal(status, 0);
    t.match(stdout, '4 requests would be refused, 1 request would pass.');
    t.match(stdout, '2 × shop → orders: scope_insufficient, missing orders.read');
    t.match(stdout, '2026-01-01T00:00:00.000Z to 2026-01-01T00:01:00.000Z');
    t.match(stdout, 'GET api.example.com/orders/2');
    t.match(stdout, '1 × no verified caller → orders: credential_missing');
  },
);

t.test('the YAML adds what each client has as an alternative, and public access only in a comment', async (t) => {
  const file = logFile(t, [
    lacking('shop', ['orders.list', 'a']),
    lacking('shop', ['orders.list']),
    lacking('till', []),
    line({ shadow: 'credential_missing' }),
    line({ shadow: 'credential_missing', route: 'other' }),
    line({ shadow: 'route_not_found', route: undefined, path: '/new/1' }),
    line({ shadow: 'route_not_found', route: undefined, path: '/new/2' }),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  const yaml = stdout.slice(stdout.indexOf('routes:'));
  t.strictSame(parse(yaml), {
    routes: [{ id: 'orders', scope: { any_of: ['orders.read', 'orders.list'] } }, { id: 'other' }],
  });
  t.match(yaml, '# access: public');
  t.match(yaml, /till holds no scope .*grant it orders\.read/);
  t.match(yaml, '# - match: { methods: [GET], path: "/new/{rest*}" }');
});

t.test('opaque tokens without introspection have a remedy, broken JWTs do not', async (t) => {
  const file = logFile(t, [
    line({
      shadow: 'token_malformed',
      reason: 'not a JWT, and the gateway cannot introspect opaque tokens without `client_id`',
    }),
    line({ shadow: 'token_malformed', reason: 'header is no JSON' }),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(
    stdout,
    '1 × no verified caller → orders: token_malformed, not a JWT, and the gateway cannot introspect opaque tokens without `client_id`',
  );
  t.match(stdout, /# 1 request with a token that is no JWT.*RFC 7662.*authorization_servers:\n +# client_id/);
  t.match(stdout, '# token_malformed (1 request): nothing to change in this file');
});

t.test('tokens with the same wrong issuer or audience are one group, whatever their times', async (t) => {
  const foreign = { shadow: 'token_issuer', claim: 'iss', found: '"https://other.example"', expected: '"x"' };
  const expired = (found: string) => line({ shadow: 'token_expired', claim: 'exp', found });
  const file = logFile(t, [
    line(foreign),
    line(foreign),
    expired('2026-01-01T00:00:00Z'),
    expired('2026-01-01T00:00:01Z'),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(stdout, '2 × no verified caller → orders: token_issuer, iss is "https://other.example"');
  t.match(stdout, /2 × no verified caller → orders: token_expired\n/);
});

t.test('tool calls are reported tool by tool, and the YAML changes only the rule of the tool', async (t) => {
  const call = (name: string, more: object = {}) =>
    lacking('agent', ['mcp.use'], {
      method: 'POST',
      path: '/mcp',
      route: 'tools',
      mcp_method: 'tools/call',
      mcp_name: name,
      scope_needed: ['tools.admin'],
      scope_missing: 'tools.admin',
      ...more,
    });
  const denied = call('drop_table', {
    shadow: 'mcp_operation_denied',
    scope_needed: undefined,
    scope_missing: undefined,
  });
  const file = logFile(t, [call('delete_user'), call('delete_user'), call('rename'), denied]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(stdout, '2 × agent → tools tools/call delete_user: scope_insufficient, missing tools.admin');
  t.match(stdout, '1 × agent → tools tools/call rename: scope_insufficient');
  const [, yaml = ''] = stdout.split('To let the refused requests pass:\n');
  const both = { any_of: ['tools.admin', 'mcp.use'] };
  t.strictSame(parse(yaml), {
    routes: [{ id: 'tools', mcp: { scope: { 'tools/call delete_user': both, 'tools/call rename': both } } }],
  });
  t.match(yaml, '`mcp.deny` of this route has an entry for tools/call drop_table');
});

t.test('an alternative that is a part of the requirement says what it no longer requires', async (t) => {
  const more = { scope_needed: ['tools.use tools.admin'], scope_missing: 'tools.admin' };
  const file = logFile(t, [lacking('agent', ['tools.use'], more), lacking('shop', ['sales'], more)]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(
    stdout,
    '# agent holds tools.use (1 request); the new `scope` no longer requires tools.admin; better: grant the client tools.admin',
  );
  t.match(stdout, '# shop holds sales (1 request); instead of the new `scope`, you can grant it tools.admin');
});

t.test('invalid lines are counted and listed, and never fatal', async (t) => {
  const file = logFile(t, [
    'version: 1',
    '{"cut',
    '[]',
    '',
    lacking('shop', ['x']),
    { ...lacking('a', []), time: 'then' },
  ]);
  const { status, stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.equal(status, 0);
  t.match(stdout, '4 lines are not JSON decisions, and are skipped: lines 1, 2, 3, 6');
  t.match(stdout, '1 × shop');
  const none = await command(t, ['shadow', 'report', `${file}.missing`]).ended();
  t.match(none, { status: 1, stderr: /cannot be read \(ENOENT\)/ });
});

t.test('text from strangers in the log cannot escape from a comment', async (t) => {
  const evil = 'x\n  - id: evil\n    access: public\n#';
  const file = logFile(t, [
    lacking(evil, ['a b: {']),
    line({ shadow: evil, client: evil, route: evil }),
    line({ shadow: 'route_not_found', route: undefined, path: `/${evil}` }),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  const { routes } = parse(stdout.slice(stdout.indexOf('routes:'))) as { routes: { id: string }[] };
  t.strictSame(
    routes.map(({ id }) => id),
    ['orders', evil],
  );
  t.equal(Object.keys(routes[1] as object).length, 1);
});

t.test('--json gives the same groups to programs', async (t) => {
  const file = logFile(t, [lacking('shop', ['orders.list'])]);
  t.match(JSON.parse((await command(t, ['shadow', 'report', file, '--json']).ended()).stdout), {
    would_refuse: 1,
    bad_lines: { count: 0 },
    groups: [{ client: 'shop', route: 'orders', code: 'scope_insufficient', count: 1, scope_held: ['orders.list'] }],
  });
});

t.test('the log of a gateway in shadow mode has everything at level info that the report needs', async (t) => {
  const { url: api } = await witness(t);
  const running = await gateway(t, behind(api, { mode: 'shadow' }));
  const token = await jwt({ scope: 'orders.read x' }, { alg: 'HS256' });
  await fetch(`${running.url}/admin/1`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${running.url}/orders/1`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${running.url}/orders/1`);
  const info = running.log.filter(({ level }) => (level as number) >= 30);
  const { stdout } = await command(t, ['shadow', 'report', logFile(t, info), '--json']).ended();
  t.match(JSON.parse(stdout), {
    would_refuse: 2,
    groups: [
      {
        client: 'shop',
        route: 'admin',
        scope_needed: ['admin'],
        scope_held: ['orders.read', 'x'],
        scope_missing: 'admin',
      },
      { route: 'orders', code: 'credential_missing' },
    ],
  });
});

t.test('a caller with too many requests is listed with the limit, which may be too low', async (t) => {
  const file = logFile(t, [line({ shadow: 'rate_limited', client: 'shop', reason: '5 in 60 s by client_id' })]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(stdout, '1 × shop → orders: rate_limited, 5 in 60 s by client_id');
  t.match(stdout, '# above the limit of this route (5 in 60 s by client_id); if these requests should pass:');
});

const caller = (more: object) =>
  line({ shadow: 'credential_missing', address: '10.0.0.5', user_agent: 'stock/1.2', ...more });

t.test('a caller without a token is identified by its address and its own claims', async (t) => {
  const file = logFile(t, [
    caller({}),
    caller({ path: '/orders/2' }),
    caller({ address: '10.0.0.6', user_agent: undefined }),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(
    stdout,
    /3 × no known client → orders: credential_missing\n {4}2 × 10\.0\.0\.5 \(stock\/1\.2\)\n {4}1 × 10\.0\.0\.6\n/,
  );
  const { groups } = JSON.parse((await command(t, ['shadow', 'report', file, '--json']).ended()).stdout);
  t.match(groups[0], {
    count: 3,
    callers: [{ address: '10.0.0.5', user_agent: 'stock/1.2', count: 2 }, { address: '10.0.0.6' }],
  });
  const one = await command(t, ['shadow', 'report', logFile(t, [caller({})])]).ended();
  t.match(one.stdout, '1 × 10.0.0.5 (stock/1.2) → orders: credential_missing');
});

t.test('a scan from thousands of addresses hides no client, and the report counts what it leaves out', async (t) => {
  const scan = Array.from({ length: 12_000 }, (_, index) => caller({ address: `10.0.${index >> 8}.${index & 255}` }));
  const paths = scan.map((each, index) => ({
    ...each,
    shadow: 'route_not_found',
    route: undefined,
    path: `/${index}/x`,
  }));
  const { stdout } = await command(t, [
    'shadow',
    'report',
    logFile(t, [...scan, ...paths, lacking('shop', [])]),
  ]).ended();
  t.match(stdout, '24001 requests would be refused.');
  t.match(stdout, '1 × shop → orders: scope_insufficient');
  t.match(stdout, '12000 × no known client → orders: credential_missing');
  t.match(stdout, '11990 × other callers');
  t.match(stdout, /The groups below leave out \d+ requests that would be refused/);
});

t.test('a route has one hint for each kind of credential that its callers send', async (t) => {
  const kinds = [[], ['basic'], ['digest'], ['query']];
  const file = logFile(
    t,
    kinds.flatMap((seen) => ['10.0.0.5', '10.0.0.6'].map((address) => caller({ address, credentials_seen: seen }))),
  );
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  const yaml = stdout.slice(stdout.indexOf('routes:'));
  t.match(yaml, /# 2 requests without a token: give .*\n +# access: public/);
  t.match(yaml, /# 2 requests with basic: .*\n +# auth: \{ any_of: \[bearer, basic\] \}/);
  t.match(yaml, /# 2 requests with digest: .*\n +# auth: \{ any_of: \[bearer, digest\] \}/);
  t.match(yaml, /# 2 requests with a token in the query: .*\n +# bearer_methods_supported: \[header, query\]/);
  t.equal(yaml.match(/# 2 requests/g)?.length, kinds.length);
});

t.test('for callers with values that look like API keys, a hint counts the different ones', async (t) => {
  const { url: api } = await witness(t);
  const running = await gateway(t, behind(api, { mode: 'shadow' }));
  const keys = ['hunter2-a', 'hunter2-b', 'hunter2-a', 'hunter2-c'];
  for (const key of keys) await fetch(`${running.url}/orders/1`, { headers: { 'X-API-Key': key } });
  for (const key of keys)
    await fetch(`${running.url}/orders/1?x=1&${key.endsWith('a') ? 'API_key' : 'api_key'}=${key}`);
  await fetch(`${running.url}/orders/1&api_key=x`);
  await fetch(`${running.url}/orders/1`, { headers: { 'X-API-Key': '' } });
  await fetch(`${running.url}/orders/1`);
  t.notMatch(JSON.stringify(running.log), 'hunter2', 'no key is logged');
  const { stdout } = await command(t, ['shadow', 'report', logFile(t, running.log)]).ended();
  const yaml = stdout.slice(stdout.indexOf('routes:'));
  for (const [name, place] of [
    ['X-API-Key', 'header'],
    ['api_key', 'query'],
  ]) {
    t.match(yaml, `# 4 requests with ${name}, at least 3 different values: if these are API keys,`);
    t.match(yaml, `# api_key: { in: ${place}, name: ${name}, keys: FILE }`);
  }
  t.match(yaml, /# 3 requests without a token/);
  const told = JSON.parse((await command(t, ['shadow', 'report', logFile(t, running.log), '--json']).ended()).stdout);
  const counted = told.groups.flatMap(({ keys_seen }: { keys_seen?: object }) => keys_seen ?? []);
  t.match(counted, [
    { in: 'header', name: 'X-API-Key', different: 3 },
    { in: 'query', name: 'api_key', different: 3 },
  ]);
});

t.test('keys are counted in each run of a gateway, and the maximum of one run is reported', async (t) => {
  const sent = (print: string) => caller({ key_seen: { in: 'header', name: 'X-API-Key', print } });
  const file = logFile(
    t,
    ['a-1', 'a-2', 'b-1', 'b-1']
      .map(sent)
      .concat([
        caller({ key_seen: 'hunter2' }),
        caller({ key_seen: { in: 'header', name: 'X, keys: /tmp/mine }  #', print: 'a-1' } }),
        caller({ shadow: 'body_too_large', key_seen: { in: 'header', name: 'X-API-Key', print: 'a-1' } }),
        caller({ shadow: 'body_too_large' }),
      ]),
  );
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(stdout, '# 4 requests with X-API-Key, at least 2 different values');
  t.notMatch(stdout, /mine|hunter/);
  t.equal(stdout.match(/# bodies larger/g)?.length, 1);
});

t.test('each origin that a route does not list has a hint', async (t) => {
  const reason = (origin: string) => `the origin ${origin} is not in \`origins\``;
  const file = logFile(t, [
    caller({ shadow: 'origin_refused', reason: reason('https://a.example') }),
    caller({ shadow: 'origin_refused', reason: reason('https://b.example') }),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  for (const origin of ['https://a.example', 'https://b.example'])
    t.match(stdout, `# pages of another origin (the origin ${origin} is not in`);
  t.match(stdout, '# origins: [ … ]');
});

t.test('a hint names the unknown issuer or audience', async (t) => {
  const file = logFile(t, [
    caller({ shadow: 'token_issuer', claim: 'iss', found: '"https://old.example"' }),
    caller({ shadow: 'token_audience', claim: 'aud', found: '"billing"' }),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(stdout, '# issuer: "https://old.example"');
  t.match(stdout, '# audience: "billing"');
});

t.test(
  'the report counts the changes that enforcement makes to requests, with callers and the key that prevents each',
  async (t) => {
    const drops = { shadow: 'pass', client: 'shop', shadow_drops: ['x-auth-subject'] };
    const file = logFile(t, [
      caller({ ...drops, enforce_drops: ['x-auth-token', 'authorization'] }),
      caller({ ...drops, enforce_drops: ['x-http-method-override', 'x-forwarded-for'] }),
      caller({ shadow: 'pass', enforce_times_out: true }),
    ]);
    const { stdout } = await command(t, ['shadow', 'report', file]).ended();
    t.match(stdout, '0 requests would be refused, 3 requests would pass.');
    t.match(stdout, '2 × x-auth-subject is already dropped → orders from shop');
    t.match(
      stdout,
      /1 × x-auth-token will be dropped → orders from shop: set defaults: \{ identity_headers: \{ prefix/,
    );
    t.match(stdout, /1 × authorization will be dropped .*: set forward_credential: true/);
    t.match(stdout, /1 × x-http-method-override will be dropped .*: set pass_headers: \[X-HTTP-Method-Override\]/);
    t.match(stdout, /1 × x-forwarded-for will be dropped .*trusted_proxies/);
    t.match(
      stdout,
      /1 × the upstream answered after more than 30 s → orders from 10\.0\.0\.5 \(stock\/1\.2\): .*response/,
    );
  },
);

t.test('a request that is refused despite shadow mode is a row with its remedy', async (t) => {
  const file = logFile(t, [
    line({ code: 'headers_too_large', route: undefined, method: undefined, path: undefined, host: undefined }),
    line({ code: 'upstream_timeout', shadow: 'credential_missing' }),
    line({ code: 'scope_insufficient' }),
    line({ code: 'method_not_allowed', route: undefined }),
    line({ code: 'method_not_allowed', route: undefined, method: 'CONNECT' }),
  ]);
  const { stdout } = await command(t, ['shadow', 'report', file]).ended();
  t.match(stdout, '1 request would be refused.');
  t.match(stdout, /Rejected despite shadow mode:\n {2}1 × headers_too_large → no route: .*limits\.header_size/);
  t.match(stdout, /1 × upstream_timeout → orders: .*timeout/);
  t.match(stdout, '1 × method_not_allowed → no route', 'a 405 of a route that enforces is none');
  const enforcing = logFile(t, [line({ code: 'headers_too_large', route: undefined })]);
  t.notMatch((await command(t, ['shadow', 'report', enforcing]).ended()).stdout, 'despite shadow mode');
});

t.test('shadow mode for 30 days looks forgotten', async (t) => {
  const days = (count: number) => logFile(t, [caller({}), caller({ time: first + count * 86_400_000 })]);
  t.match((await command(t, ['shadow', 'report', days(31)]).ended()).stdout, 'covers 31 days of shadow mode');
  t.notMatch((await command(t, ['shadow', 'report', days(29)]).ended()).stdout, 'forgotten');
});

t.test('a gateway whose file has been in shadow mode for 30 days logs a warning', async (t) => {
  const { url: api } = await witness(t);
  const started = async (days: number) => {
    const file = join(t.testdir({}), 'gateway.yaml');
    writeFileSync(file, gatewayYaml(behind(api, { mode: 'shadow' })));
    const changed = Date.now() / 1000 - days * 86_400;
    utimesSync(file, changed, changed);
    const running = command(t, ['gateway', '--config', file]);
    t.ok(await running.prints('gateway is listening'));
    return running;
  };
  t.ok(await (await started(31)).prints('shadow mode refuses nothing, and the file has not changed for 30 days'));
  t.notMatch((await started(29)).stdout(), 'shadow mode refuses nothing');
});

t.test('a gateway in shadow mode logs what enforcement will change, also for requests that pass', async (t) => {
  const { url: api } = await witness(t);
  const running = await gateway(t, behind(api, { mode: 'shadow' }));
  const token = await jwt({ scope: 'orders.read' }, { alg: 'HS256' });
  const headers = { authorization: `Bearer ${token}`, 'x-auth-token': 't', 'x-auth-subject': 'mallory' };
  await fetch(`${running.url}/orders/1`, { headers });
  await fetch(`${running.url}/orders/2`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${running.url}/orders/3?access_token=x`, { headers: { authorization: 'Basic eDp5' } });
  await fetch(`${running.url}/orders/4`, { headers: { authorization: 'deadbeefcafef00d1234567890abcdef' } });
  const info = running.log.filter(({ level, path }) => (level as number) >= 30 && path !== undefined);
  t.notMatch(JSON.stringify(info), 'deadbeef', 'a key without a scheme is no scheme');
  t.match(info, [
    {
      path: '/orders/1',
      shadow: 'pass',
      shadow_drops: ['x-auth-subject'],
      enforce_drops: ['authorization', 'x-auth-token'],
    },
    { path: '/orders/3', shadow: 'credential_missing', credentials_seen: ['basic', 'query'] },
  ]);
  t.match(info[2], { path: '/orders/4', credentials_seen: ['other'] });
  t.equal(info.length, 3, 'a token that passes is no news');
});

t.test('a head that is not a request is logged, so that the report has it', async (t) => {
  const { url: api } = await witness(t);
  const running = await gateway(t, behind(api, { mode: 'shadow' }));
  await fetch(`${running.url}/orders/1`);
  await fetch(`${running.url}/orders/1`, { headers: { 'x-long': 'x'.repeat(20_000) } });
  const { stdout } = await command(t, ['shadow', 'report', logFile(t, running.log)]).ended();
  t.match(stdout, /1 × headers_too_large from 127\.0\.0\.1 → no route: .*limits\.header_size/);
});
