import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { imageFlags } from '../../tools/image-flags.ts';
import { ask, caller, credentialsFor, nonceOf } from '../support/digest-caller.ts';
import { behind } from '../support/gateway.ts';
import { heapInUse, highWater, inMiB, probedFlags } from '../support/memory.ts';
import { startProcess, throws } from '../support/process.ts';
import { requestText } from '../support/request-text.ts';
import { serving } from '../support/serving.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { quietUpstream } from './support/quiet-upstream.ts';
import { sized } from './support/size.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3_600_000));

const NONCES = sized(20_000, 1_000_000, 5_000_000);
const WARM = sized(10_000, 50_000, 50_000);
const CONNECTIONS = 8;
/** Requests of a connection that wait for their answers. */
const WINDOW = 32;
const MIB = 1024 * 1024;

const request = requestText({ target: '/a' }).toString('latin1');

/** Requests so many challenges over one connection, and returns how many arrived. */
function challenged(port: number, times: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  let [asked, came, rest] = [0, 0, ''];
  const ask = () => {
    const due = Math.min(times, came + WINDOW) - asked;
    asked += due;
    if (due > 0) socket.write(request.repeat(due));
  };
  socket.on('data', (text) => {
    const all = rest + String(text);
    const pieces = all.split(/nonce="[\w-]+"/);
    came += pieces.length - 1;
    rest = (pieces.at(-1) ?? '').slice(-200);
    if (came >= times) socket.destroy();
    else ask();
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(came));
  ask();
  return promise;
}

async function flood(port: number, times: number): Promise<number> {
  const each = Array.from({ length: CONNECTIONS }, () => challenged(port, times / CONNECTIONS));
  return (await Promise.all(each)).reduce((sum, came) => sum + came, 0);
}

async function guarded(t: Test) {
  const users = userFile(t, digestLines(caller.name, caller.realm, caller.password, ['SHA-256']));
  const digest = { realm: caller.realm, users, algorithms: ['SHA-256'] };
  const routes = [{ match: { path: '/{rest*}' }, auth: 'digest', digest, access: 'authenticated' }];
  const gateway = await startProcess({
    config: behind(await serving(t, quietUpstream()), { routes }),
    flags: [...imageFlags, ...probedFlags],
  });
  t.teardown(() => gateway.stop());
  return gateway;
}

t.test('a million unanswered challenges leave memory constant, and below 256 MiB', async (t) => {
  const gateway = await guarded(t);
  const { port, pid } = gateway;
  await flood(port, WARM);
  const url = `http://127.0.0.1:${port}/a`;
  const before = await nonceOf(url);
  const early = await heapInUse(gateway);
  t.equal(await flood(port, NONCES), NONCES, 'each request has its challenge');
  const late = await heapInUse(gateway);
  const grown = `${NONCES} challenges: heap in use ${inMiB(early)} then ${inMiB(late)} MiB`;
  const most = highWater(pid) * 1024;
  t.comment(`${grown}, resident at most ${inMiB(most)} MiB`);
  // Resident memory does not show what is kept: V8 enlarges the young generation by 16 MiB at a time.
  t.ok(late <= 1.05 * early, grown);
  t.ok(most <= 256 * MIB, `resident at most ${inMiB(most)} MiB`);
  t.equal((await ask(url, credentialsFor('/a', before, 1))).status, 200, 'who was challenged before them passes');
  t.strictSame(throws(gateway.output()), []);
});
