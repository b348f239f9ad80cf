import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { basic, shop } from '../authorization/running-service.ts';
import { runWithUserKeys } from '../authorization/user-key-flow.ts';
import { filesIn } from '../docs/cookbook.ts';
import { type Cuttable, cuttable } from '../support/cuttable.ts';
import { nginx, programAt } from '../support/front-proxy.ts';
import { inTime, lateness } from '../support/lateness.ts';
import { bearer } from '../support/request-text.ts';
import { jwt } from '../support/tokens.ts';
import { witness } from '../support/witness.ts';
import { before, fronted, type Starts } from './asked-by.ts';
import { many } from './many-calls.ts';
import { follow } from './revoked.ts';

/** Starts nginx and a service: 12 s in .ci/run on a busy machine. */
t.setTimeout(120_000);

const page = 'behind-nginx.md';
const start: Starts = (t, page, { decision, upstream }) =>
  nginx(t, page, { '127.0.0.1:8082': decision, '127.0.0.1:9000': upstream });
const token = () => jwt({ scope: 'orders.read' }, { alg: 'HS256' });
const options = { skip: programAt('nginx') === undefined && 'nginx not present' };

t.test('a revoked token is refused within two seconds, even if nginx has a cached decision', options, async (t) => {
  const [upstream, service] = [await witness(t), await runWithUserKeys(t)];
  const [shown] = filesIn(page);
  const file = { ...shown?.values, listen: '127.0.0.1:0', upstreams: { orders: { url: upstream.url } } };
  const decision = { listen: '127.0.0.1:0', max_age: '5s' };
  const { authorization_servers: _, ...rest } = file;
  const running = await follow(t, upstream, service, { file: { ...rest, decision } });
  const { send, decisions } = await before(t, page, start, { upstream, running });
  const shopJwt = { id: 'shop-jwt', secret: shop.secret };
  const good = await service.token({}, shopJwt);
  const said = async (credential: string) =>
    (await send({ target: '/orders/1', headers: [bearer(credential)] })).status;
  const { between } = await lateness(t);
  const bad = await service.token({}, shopJwt);
  const asked = decisions();
  for (let time = 0; time < 5; time++) t.equal(await said(bad), 200);
  t.ok(decisions() - asked < 5, 'it was remembered');
  t.equal((await service.post('/oauth2/revoke', { token: bad }, basic(shopJwt))).status, 200);
  const began = performance.now();
  let passed = began;
  await many(8, 3_500, async () => {
    const asked = performance.now();
    if ((await said(bad)) === 200) passed = Math.max(passed, asked);
  });
  inTime(t, 'within two seconds, with many who ask at once', 2_000, await between(began, passed));
  t.equal(await said(good), 200);
});

t.test('if Gatehouse hangs, no request passes after two seconds', options, async (t) => {
  let way: Cuttable | undefined;
  const through: Starts = async (t, page, parts) => {
    way = await cuttable(t, `http://${parts.decision}`);
    return start(t, page, { ...parts, decision: new URL(way.url).host });
  };
  const { between } = await lateness(t);
  const { send } = await fronted(t, page, through);
  const alice = [bearer(await token())];
  let last = 0;
  const get = async () => {
    const asked = performance.now();
    const { status } = await send({ target: '/orders/1', headers: alice });
    if (status === 200) last = Math.max(last, asked);
  };
  await get();
  const asking = many(10, 3_500, get);
  await pause(700);
  way?.freeze();
  const began = performance.now();
  await pause(3_000);
  way?.cut();
  await asking;
  // Whether one passes after that depends on the second in which nginx cached the answer.
  t.ok(last > 0, 'some pass before');
  inTime(t, 'the last passed', 2_000, await between(began, Math.max(began, last)));
});
