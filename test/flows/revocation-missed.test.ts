import { setTimeout as pause } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import t from 'tap';
import type { Records } from '../../src/storage/records/records.ts';
import { cuttable } from '../support/cuttable.ts';
import { heapInUse, probed } from '../support/memory.ts';
import { postgresServer, skipWithoutPostgres } from '../support/postgres.ts';
import { type FleetGateway, gatewayProcess, liveUpstream, serviceProcess, storeOf } from './fleet.ts';
import { eventually, isInStep } from './revoked.ts';

/** Starts PostgreSQL: 27 s in .ci/run on a busy machine. */
t.setTimeout(180_000);

/** So many that half a MiB from elsewhere, as on a busy machine, is a small share of the measured memory. */
const MISSED = 20_000;
const KNOWN_BEFORE = 500;
/** Requests. */
const WARM = 3_000;
/** With more, the last would wait too long for a connection. */
const AT_ONCE = 25;
/** Milliseconds. */
const STALENESS = 15_000;
const BYTES_EACH = 200;
const OUT = '503 authorization_server_unavailable';
const REVOKED = '401 token_revoked';
const LIVE = 'gatehouse_revocations{server="main"}';

const seconds = () => Math.floor(Date.now() / 1000);

async function denyEach(records: Records, jtis: readonly string[]): Promise<void> {
  for (let first = 0; first < jtis.length; first += AT_ONCE) {
    const now = seconds();
    await Promise.all(jtis.slice(first, first + AT_ONCE).map((jti) => records.denyJwt(jti, now + 900, now)));
  }
}

const madeUp = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());

/** Presents one token after the other until it is stopped. */
function presentAll(gateway: FleetGateway, tokens: readonly string[]) {
  let isOn = true;
  /** When the last accepted one was sent, monotonic. */
  let accepted = Number.NEGATIVE_INFINITY;
  const said = new Set<string>();
  const over = (async () => {
    for (let index = 0; isOn; index++) {
      const sent = performance.now();
      const answer = await gateway.said(tokens[index % tokens.length] ?? '').catch(String);
      said.add(answer);
      if (answer === '200') accepted = sent;
      await pause(10);
    }
  })();
  return {
    async stop() {
      isOn = false;
      await over;
      return { accepted, said: [...said].sort() };
    },
  };
}

t.test(
  `${MISSED} revocations that were missed behind a dead feed and a killed service: refused in doubt, delivered in full, kept in ${BYTES_EACH} bytes each`,
  { skip: skipWithoutPostgres },
  async (t) => {
    const storage = await (await postgresServer(t)).database();
    const users = Array.from({ length: 20 }, (_, index) => `user${index}`);
    const service = await serviceProcess(t, storage, [...users, 'sound']);
    const records = await storeOf(t, storage);
    const way = await cuttable(t, service.url);
    const changes = { events: `${way.url}/oauth2/events`, max_staleness: `${STALENESS / 1000}s`, on_stale: 'deny' };
    const upstream = await liveUpstream(t);
    const gateway = await gatewayProcess(t, { upstream, service, changes, env: probed });
    const tokens: string[] = [];
    for (const user of users) tokens.push(await service.jwt(user));
    const sound = await service.jwt('sound');
    for (const token of [...tokens, sound]) t.equal(await gateway.said(token), '200');
    way.cut();
    await denyEach(records, madeUp(KNOWN_BEFORE));
    way.mend();
    t.ok(await eventually(async () => (await gateway.metric(LIVE)) === KNOWN_BEFORE, 60_000));
    // Memory that any process keeps after some work does not count as memory for revocations.
    for (let count = 0; count < WARM; count++) await gateway.said(tokens[count % tokens.length] ?? '');
    await heapInUse(gateway.process);
    const baseline = await heapInUse(gateway.process);
    t.ok(await isInStep(gateway));

    way.freeze();
    const frozen = performance.now();
    const presented = presentAll(gateway, tokens);
    await service.kill();
    const [rotated, denied] = [users.slice(0, 10), tokens.slice(10).map((token) => String(decodeJwt(token).jti))];
    for (const subject of rotated) await records.rotateUserKey({ subject, until: seconds() + 900, now: seconds() });
    await denyEach(records, [...madeUp(MISSED - users.length), ...denied]);
    t.ok(await eventually(async () => (await gateway.said(sound)) === OUT, STALENESS + 15_000), 'on_stale: deny');
    await service.start();
    const back = performance.now();
    way.mend();
    t.ok(await eventually(async () => (await gateway.said(sound)) === '200', 60_000), 'in step again');
    const replayed = performance.now() - back;
    const { accepted, said } = await presented.stop();

    const late = accepted - frozen;
    t.ok(late > 0 && late <= STALENESS, `the last was accepted ${late} ms after the feed was cut`);
    t.ok(said.includes('200'), 'some are accepted until the gateway knows that it is behind');
    // A user's key is rotated before its event is sent. Until then, the gateway finds another key.
    const expected = new Set(['200', OUT, REVOKED, '401 token_signature']);
    t.strictSame(
      said.filter((each) => !expected.has(each)),
      [],
    );
    for (const token of tokens) t.equal(await gateway.said(token), REVOKED);
    const live = await gateway.metric(LIVE);
    t.equal(live, KNOWN_BEFORE + MISSED);
    t.equal(await gateway.metric('gatehouse_feed_events_total{server="main",kind="reset"}'), 0);
    await heapInUse(gateway.process);
    const each = ((await heapInUse(gateway.process)) - baseline) / (live - KNOWN_BEFORE);
    t.comment(
      `last acceptance ${Math.round(late)} ms after the cut; in step ${Math.round(replayed)} ms after the service was back; ${Math.round(each)} bytes a revocation`,
    );
    t.ok(each <= BYTES_EACH, `${each} bytes of heap a revocation`);
  },
);
