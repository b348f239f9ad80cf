import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import t from 'tap';
import { nonceOf, sendDigest } from '../support/digest-caller.ts';
import { behind } from '../support/gateway.ts';
import { type Answered, group, pressure } from '../support/group.ts';
import { redisServer, skipWithoutRedis } from '../support/redis.ts';
import { requestText } from '../support/request-text.ts';
import { until } from '../support/until.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';
import { eventually } from './revoked.ts';

/** Starts Redis and programs: 41 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

/** Every part that a request uses shows its file: the path to the upstream twice, the challenge twice. */
function generation(url: string, number: number): object {
  const credentials = { header: { name: 'X-Credential', value: `g${number}` } };
  return {
    upstreams: { api: { url, credentials } },
    defaults: { upstream: 'api' },
    realm: `g${number}`,
    authorization_servers: {
      main: { issuer: 'https://a.example', secret: 'x'.repeat(32), algorithms: ['HS256'], audience: 'a' },
    },
    routes: [
      { id: 'open', match: { path: '/open' }, access: 'public', rewrite: { add_prefix: `/g${number}` } },
      { id: 'closed', match: { path: '/closed' }, scope: `g${number}` },
    ],
    tests: [{ request: 'GET /open', expect: { forward: true } }],
  };
}

/** Invalid in form, in meaning, and in its own tests. */
const bad: readonly ((file: object) => object)[] = [
  (file) => ({ ...file, surprise: true }),
  (file) => ({ ...file, routes: [{ id: 'a', match: { path: '/a' }, access: 'public', upstream: 'nobody' }] }),
  (file) => ({ ...file, tests: [{ request: 'GET /open', expect: { refuse: 401 } }] }),
];

function numbers({ response }: Answered): readonly number[] {
  const text = response.header('www-authenticate') ?? String(response.body);
  return [...text.matchAll(/\bg(\d+)\b/g)].map(([, number]) => Number(number));
}

t.test(
  'fifty reloads, valid and invalid, under load: no request is lost, and none is decided with two files',
  async (t) => {
    const upstream = await witness(t, (request, response, seen) => {
      upstream.forget();
      response.end(`${request.url?.replaceAll('/', ' ')} ${seen.header('x-credential')}`);
    });
    const served = await group(t, generation(upstream.url, 0));
    const load = pressure(served.port, 16, (count) => requestText({ target: count % 2 === 0 ? '/open' : '/closed' }));
    t.ok(await until(() => new Set(load.answers.map(({ worker }) => worker)).size === 4));
    let good = 0;
    const steps: { number: number; at: number }[] = [];
    for (let step = 1; step <= 50; step++) {
      const spoil = step % 3 === 0 ? bad[(step / 3) % bad.length] : undefined;
      const file = generation(upstream.url, step);
      const answer = await served.take(spoil?.(file) ?? file);
      t.equal(answer.status, spoil === undefined ? 200 : 422, `step ${step}`);
      await answer.arrayBuffer();
      if (spoil === undefined) steps.push({ number: step, at: performance.now() });
      good += spoil === undefined ? 1 : 0;
    }
    await pause(100);
    await load.stop();
    t.equal(load.lost.length, 0);
    const mixed = load.answers.filter((each) => new Set(numbers(each)).size !== 1);
    t.strictSame(
      mixed.slice(0, 3).map(({ response }) => [response.status, numbers({ response } as Answered)]),
      [],
    );
    const stale = load.answers.filter((each) => {
      const before = steps.findLast(({ at }) => at < each.from);
      return before !== undefined && (numbers(each)[0] ?? 0) < before.number;
    });
    t.equal(stale.length, 0, 'once a reload is answered, no worker serves by an older file');
    t.equal(await served.metric('gatehouse_config_reloads_total'), 50);
    t.comment(`${load.answers.length} answers, ${good} files taken up`);
  },
);

t.test('a worker that dies during reloads restarts with the active file', async (t) => {
  const upstream = await witness(t, (request, response, seen) => {
    response.end(`${request.url?.replaceAll('/', ' ')} ${seen.header('x-credential')}`);
  });
  const served = await group(t, generation(upstream.url, 0));
  for (let step = 1; step <= 8; step++) {
    const [pid = 0] = served.pids();
    process.kill(pid, 'SIGKILL');
    t.equal((await served.take(generation(upstream.url, step))).status, 200);
    t.ok(await served.serves(4));
    const load = pressure(served.port, 8, () => requestText({ target: '/open' }));
    t.ok(await until(() => new Set(load.answers.map(({ worker }) => worker)).size === 4));
    await load.stop();
    t.strictSame([...new Set(load.answers.flatMap(numbers))], [step]);
  }
});

t.test('a later worker has the users of the active file, whatever happened to the file since', async (t) => {
  const users = userFile(t, digestLines('alice', 'r', 'wonderland'));
  const digest = { realm: 'r', users };
  const routes = [{ match: { path: '/a' }, auth: 'digest', digest, access: 'authenticated' }];
  const served = await group(t, behind((await witness(t)).url, { routes }), 2);
  writeFileSync(users, 'no line of htdigest');
  t.ok(await until(() => served.said('the configuration was rejected') > 0));
  for (const pid of served.pids()) {
    process.kill(pid, 'SIGKILL');
    t.ok(await served.serves(2));
  }
  const nonce = await nonceOf(`${served.url}/a`);
  for (let count = 1; count <= 4; count++)
    t.match(await sendDigest(`${served.url}/a`, nonce, { count }), { status: 200 });
});

t.test('a file that the workers reject leaves nothing open in them', { skip: skipWithoutRedis }, async (t) => {
  const redis = await redisServer(t);
  const client = new Redis(redis.url);
  t.teardown(() => client.disconnect());
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const digest = { realm: 'r', users: userFile(t, digestLines('alice', 'r', 'wonderland')) };
  const routes = [{ match: { path: '/a' }, auth: 'digest', digest, access: 'authenticated' }];
  const file = behind((await witness(t)).url, { routes });
  const served = await group(t, file, 2);
  const nonce_keys = [randomBytes(32).toString('base64')];
  const answer = await served.take({ ...file, counters: redis.url, nonce_keys });
  t.equal(answer.status, 422);
  t.match(await answer.text(), /worker \d cannot load the file: counters: this Redis evicts nonces/);
  t.ok(await eventually(async () => (await redis.connections()) === 1), 'that of this test alone');
});

t.test('the number of workers changes only with a restart, and a reload says so', async (t) => {
  const upstream = await witness(t);
  const served = await group(t, generation(upstream.url, 0), 2);
  const answer = await served.take(generation(upstream.url, 1), 3);
  t.match(await answer.json(), { restart: ['workers'] });
  t.equal(served.pids().length, 2);
});
