import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { imageFlags } from '../../tools/image-flags.ts';
import { freePort } from '../support/free-port.ts';
import { behind } from '../support/gateway.ts';
import { heapInUse, inMiB, probedFlags } from '../support/memory.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { CAEP, gatewayAudience, logoutToken, securityEvent } from '../support/reports.ts';
import { serving } from '../support/serving.ts';
import { authorizationServer, jwt } from '../support/tokens.ts';
import { isPaceTold, keepsPace } from './support/pace.ts';
import { paced } from './support/paced.ts';
import { quietUpstream } from './support/quiet-upstream.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(120_000, 900_000, 3 * 3_600_000));

/** A second. */
const GOOD = sized(100, 200, 200);
/** 100,000 a minute. */
const EVENTS = sized(400, 1_667, 1_667);
/** Different logouts that are valid, and as many events. Each comes again after the others. */
const REAL = sized(150, 1_500, 1_500);
/** Milliseconds. */
const ALONE = sized(2_000, 10_000, 30_000);
const FLOODED = sized(4_000, 30_000, 300_000);

function post(path: string, type: string, body: string, fields = ''): string {
  const head = [`POST ${path} HTTP/1.1`, 'Host: receiver', `Content-Type: ${type}`, `Content-Length: ${body.length}`];
  return `${head.join('\r\n')}\r\n${fields}\r\n${body}`;
}

const SECRET = 'Bearer right';
const FORM = 'application/x-www-form-urlencoded';
const logoutRequest = (token: string) => post('/backchannel-logout/main', FORM, `logout_token=${token}`);

const push = (authorization: string, event: string) =>
  post('/security-events/main', 'application/secevent+jwt', event, `Authorization: ${authorization}\r\n`);
const pushWithout = (event: string) => post('/security-events/main', 'application/secevent+jwt', event);
const forged = (token: string) => `${token.slice(0, -8)}AAAAAAAA`;
const revoked = (id: string) =>
  securityEvent({ [`${CAEP}session-revoked`]: {} }, { sub_id: { format: 'opaque', id }, exp: 9_999_999_999 });

/**
 * Of six requests, one has no secret, one has a wrong secret, two have a wrong signature, and two are valid. Events with
 * a wrong signature have the right secret.
 */
async function requests(): Promise<readonly string[]> {
  const event = await revoked('good');
  const wrong = [
    pushWithout(event),
    push('Bearer wrong', event),
    push(SECRET, forged(event)),
    logoutRequest(forged(await logoutToken({ sid: 'good', sub: 'alice' }))),
  ];
  const real = await Promise.all(
    Array.from({ length: REAL }, async (_, index) => [
      logoutRequest(await logoutToken({ sid: `s${index}`, sub: `user-${index}`, exp: 9_999_999_999 })),
      push(SECRET, await revoked(`e${index}`)),
    ]),
  );
  return real.flatMap((valid) => [...wrong, ...valid]);
}

interface Scene {
  readonly gateway: GatewayProcess;
  readonly admin: number;
  readonly receiver: number;
}

async function scene(t: Test): Promise<Scene> {
  const [admin, receiver] = [await freePort(), await freePort()];
  const changes = {
    verify: 'jwt',
    events: 'none',
    backchannel_logout: { audiences: ['shop'] },
    security_events: { audiences: [gatewayAudience], push: { authorization: SECRET } },
  };
  const { config } = await authorizationServer(t, { changes });
  const more = {
    authorization_servers: config,
    admin: `127.0.0.1:${admin}`,
    receiver: { listen: `127.0.0.1:${receiver}` },
  };
  const gateway = await startProcess({
    config: { ...behind(await serving(t, quietUpstream()), more), log: { level: 'warn', format: 'json' } },
    flags: [...imageFlags, ...probedFlags],
  });
  t.teardown(() => gateway.stop());
  return { gateway, admin, receiver };
}

/** Result → how often. */
async function counts(admin: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${admin}/metrics`)).text();
  const rows = text.matchAll(/^gatehouse_receiver_tokens_total\{.*result="(\w+)".*\} (\d+)$/gm);
  const sums: Record<string, number> = {};
  // Logout tokens and events have a row each.
  for (const [, result = '', count] of rows) sums[result] = (sums[result] ?? 0) + Number(count);
  return sums;
}

t.test('100,000 events a minute, forged and real, cost no request its answer', async (t) => {
  const { gateway, admin, receiver } = await scene(t);
  const token = await jwt({ scope: 'orders.read', sid: 'good', exp: Math.floor(Date.now() / 1000) + 7_200 });
  const good = paced(t, {
    port: gateway.port,
    target: '/orders/1',
    perSecond: GOOD,
    connections: 16,
    values: [`Bearer ${token}`],
  });
  const flood = paced(t, { port: receiver, target: '/', perSecond: 0, connections: 64, requests: await requests() });
  await pause(1_000);
  await good.told();
  await pause(ALONE);
  const alone = await good.told();
  await flood.pace(EVENTS);
  // Each valid logout is in memory, and the first round of a flood makes the heap larger.
  await pause(FLOODED);
  const [asked, first] = [await good.told(), await flood.told()];
  const early = await heapInUse(gateway);
  await pause(FLOODED);
  const [later, second] = [await good.told(), await flood.told()];
  const rest = [await flood.pace(0)];
  do {
    await pause(1_000);
    rest.push(await flood.told());
  } while (Object.keys(rest.at(-1)?.statuses ?? {}).length > 0);
  const late = await heapInUse(gateway);
  const pace = `p99 ${alone.p99.toFixed(1)} ms before, ${asked.p99.toFixed(1)} and ${later.p99.toFixed(1)} ms under ${first.sent + second.sent} events`;
  const grown = `heap in use ${inMiB(early)} then ${inMiB(late)} MiB`;
  for (const each of [pace, grown]) t.comment(each);
  for (const each of [asked, later])
    t.strictSame(Object.keys(each.statuses), ['200'], `every request is answered: ${JSON.stringify(each.statuses)}`);
  t.ok(keepsPace(Math.max(asked.p99, later.p99), Math.max(3 * alone.p99, 20)), pace);
  t.ok(late <= 1.1 * early, grown);
  const statuses = [first, second, ...rest].map((each) => each.statuses);
  const all = (status: string) => statuses.reduce((sum, each) => sum + (each[status] ?? 0), 0);
  const { not_authenticated = 0, rejected = 0, again = 0, accepted = 0 } = await counts(admin);
  const counted = not_authenticated + rejected + again + accepted;
  const answered = all('401') + all('400') + all('200') + all('202');
  // A refused request has an unread body, so closing its connection may lose the answer on its way (RFC 9112 §9.6).
  const lost = all('cut');
  t.ok(counted >= answered && counted <= answered + lost, `${counted} counted, ${answered} answered, ${lost} lost`);
  t.ok(lost <= answered / 1_000, `${lost} answers were lost`);
  t.equal(accepted, 2 * REAL, 'each valid logout and each valid event is accepted once');
  t.ok(all('202') >= REAL, 'an event that comes again is answered like the first');
  t.ok(not_authenticated > 0 && rejected > 0, `${not_authenticated} without the secret, ${rejected} rejected`);
  t.ok(first.sent + second.sent >= (isPaceTold ? 0.5 : 0.9) * EVENTS * ((2 * FLOODED) / 1000), 'so many came');
  t.strictSame(throws(gateway.output()), []);
  await Promise.all([good.stop(), flood.stop()]);
});
