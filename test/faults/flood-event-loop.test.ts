import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { startProcess, throws } from '../support/process.ts';
import { connectTo } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { fixedWork } from './support/fixed-work.ts';
import { issuing } from './support/issuing.ts';
import { idleLoop, type Loop, latest, loopProbed } from './support/loop.ts';
import { type Attack, gatewayAttacks, serviceAttacks } from './support/loop-attacks.ts';
import { isPaceTold } from './support/pace.ts';
import { quietUpstream } from './support/quiet-upstream.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));

/** Milliseconds more than an idle process. */
const MOST = 50;
/** On a shared machine, so many times a fixed piece of work, which takes about 5 ms on a machine of one's own. */
const RATIO = 10;
/** Of each attack, one after the other. */
const TIMES = sized(2, 10, 200);

interface Target {
  readonly loop: Loop;
  readonly port: number;
}

/** A peer that answers early may close on unread bytes, and then the answer can be lost. */
async function send({ port }: Target, bytes: Buffer): Promise<number | undefined> {
  const client = await connectTo(port);
  try {
    client.send(bytes);
    return (await client.read({ deadline: 20_000 }))?.status;
  } finally {
    client.destroy();
  }
}

interface Attacked extends Target {
  readonly idle: Loop;
}

interface Repeated {
  run(): Promise<unknown>;
  /** Requests that arrive together are read in one turn of the loop, which may then take this many times as long. */
  readonly turns?: number;
}

/**
 * What makes a loop late: `attack`, minus the machine's own lateness. If two processes want one core the idle one goes
 * first, so a loop may also be late without work of its own. Then the work of its thread counts.
 */
async function notHeld(t: Test, what: string, { loop, idle }: Attacked, attack: Repeated): Promise<void> {
  await Promise.all([latest(loop), latest(idle)]);
  await attack.run();
  await pause(20);
  const [own, others] = await Promise.all([latest(loop), latest(idle)]);
  const [late, worked, apart] = [own.late, own.worked, others.late].map((each) => each.toFixed(1));
  const fixed = fixedWork();
  const figures = `${what}: ${late} ms late, ${worked} ms at work; an idle process ${apart} ms late, fixed work ${fixed.toFixed(1)} ms`;
  const most = (attack.turns ?? 1) * (isPaceTold ? Math.max(MOST, RATIO * fixed) : MOST);
  t.ok(own.late - others.late < most || own.worked < most, figures);
  t.comment(figures);
}

function underAttack(t: Test, target: Attacked, { name, bytes, statuses }: Attack): Promise<void> {
  const run = async () => {
    for (let count = 0; count < TIMES; count++) {
      const status = await send(target, bytes);
      if (status !== undefined) t.ok(statuses.includes(status), `${name}: ${status}`);
    }
  };
  return notHeld(t, name, target, { run });
}

const routes = [
  { id: 'orders', match: { path: '/orders/{rest*}' }, access: 'authenticated' },
  { id: 'form', match: { path: '/form' }, access: 'authenticated', bearer_methods_supported: ['body', 'query'] },
  { id: 'soap', match: { path: '/soap', soap_action: 'urn:b' }, access: 'authenticated' },
  { id: 'asked', match: { path: '/asked', query: { op: 'x' } }, access: 'authenticated' },
  {
    id: 'read',
    match: { path: '/read' },
    access: 'authenticated',
    when: 'request.query.exists(a, a == "b") && request.headers.exists(c, c == "d")',
  },
  ...Array.from({ length: 10_000 }, (_, index) => ({
    id: `many-${index}`,
    match: { path: index % 2 === 0 ? `/many/{a}/{b}/x${index}` : `/many/a/{b}/a/{c}/x${index}` },
    access: 'authenticated',
  })),
];

t.test("no stranger's head, token, form or target blocks the gateway for 50 ms", async (t) => {
  const upstream = await serving(t, quietUpstream());
  const basic = {
    realm: 'r',
    users: userFile(t, 'user:$apr1$zzzzzzzz$AvjOqWkqAKCpfzWSIDYh9/\n'),
    allow_insecure: true,
  };
  const digest = {
    realm: 'r',
    users: userFile(t, digestLines('user', 'r', 'right')),
    uri_from: ['X-Original-URI', 'X-Forwarded-Uri', 'X-Forwarded-Prefix'],
  };
  const gateway = await startProcess({
    env: loopProbed,
    config: behind(upstream, {
      routes: [
        ...routes,
        { id: 'basic', match: { path: '/basic' }, auth: 'basic', basic, access: 'authenticated' },
        { id: 'digest', match: { path: '/digest' }, auth: 'digest', digest, access: 'authenticated' },
      ],
      trusted_proxies: ['127.0.0.1', '::1'],
      login: { max_failures: 1_000_000, window: '1m' },
      limits: { header_size: '512KiB', header_count: 100, form_body: '512KiB' },
    }),
  });
  t.teardown(() => gateway.stop());
  const target = { idle: await idleLoop(t), loop: gateway, port: gateway.port };
  for (const { bytes } of gatewayAttacks) await send(target, bytes);
  for (const attack of gatewayAttacks) await underAttack(t, target, attack);
  t.ok(gateway.running);
  t.strictSame(throws(gateway.output()), []);
});

t.test("no stranger's form, head or target blocks the authorization service for 50 ms", async (t) => {
  const service = await issuing(t);
  const loop = { pid: service.process.child.pid ?? 0, output: service.process.stderr };
  const target = { idle: await idleLoop(t), loop, port: service.port };
  for (const { bytes } of serviceAttacks) await send(target, bytes);
  for (const attack of serviceAttacks) await underAttack(t, target, attack);
  const guesses = () => Promise.all(Array.from({ length: 100 }, (_, count) => guess(service.url, count)));
  await notHeld(t, '100 passwords at once', target, { run: guesses, turns: 2 });
  t.equal(service.process.child.exitCode, null);
  t.strictSame(throws(service.process.stdout()), []);
});

/** Each with a new user. Most get a Retry-After, because too many are being checked. */
async function guess(url: string, count: number): Promise<void> {
  const response = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=password&client_id=legacy&username=user${count}&password=wrong`,
  });
  await response.text();
  if (![400, 429, 503].includes(response.status)) throw new Error(`a guess was answered ${response.status}`);
}
