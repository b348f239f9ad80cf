import t, { type Test } from 'tap';
import { nonceOf, sendDigest } from '../support/digest-caller.ts';
import { behind } from '../support/gateway.ts';
import { group } from '../support/group.ts';
import { digestLines, userFile } from '../support/user-files.ts';
import { witness } from '../support/witness.ts';

/** Starts programs: 38 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

async function withDigest(t: Test, nc: 'strict' | 'window') {
  const users = userFile(t, digestLines('alice', 'r', 'wonderland'));
  const digest = { realm: 'r', users, nc };
  const routes = [{ match: { path: '/a' }, auth: 'digest', digest, access: 'authenticated' }];
  const served = await group(t, behind((await witness(t)).url, { routes }));
  return { ...served, at: `${served.url}/a`, users };
}

t.test('of a hundred requests with one count, to four workers at once, one passes', async (t) => {
  for (const mode of ['strict', 'window'] as const) {
    const { at } = await withDigest(t, mode);
    const nonce = await nonceOf(at);
    const all = await Promise.all(Array.from({ length: 100 }, () => sendDigest(at, nonce)));
    t.equal(all.filter(({ status }) => status === 200).length, 1, mode);
    t.equal(all.filter(({ code }) => code === 'nonce_replayed').length, 99, mode);
  }
});

t.test('a nonce of one worker is valid at all, each count once, and the death of a worker forgets none', async (t) => {
  const served = await withDigest(t, 'strict');
  const nonce = await nonceOf(served.at);
  for (let count = 1; count <= 12; count++) t.match(await sendDigest(served.at, nonce, { count }), { status: 200 });
  for (let count = 1; count <= 12; count++)
    t.match(await sendDigest(served.at, nonce, { count }), { status: 401, code: 'nonce_replayed' });
  for (const pid of served.pids().slice(0, 3)) process.kill(pid, 'SIGKILL');
  t.ok(await served.serves(4));
  for (let count = 1; count <= 12; count++)
    t.match(await sendDigest(served.at, nonce, { count }), { status: 401, code: 'nonce_replayed' });
  t.match(await sendDigest(served.at, nonce, { count: 13 }), { status: 200 });
});

t.test('in a window all accept counts in any order, each once, and none that is 64 behind', async (t) => {
  const { at } = await withDigest(t, 'window');
  const nonce = await nonceOf(at);
  const taken: number[] = [];
  for (const count of [5, 3, 3, 4, 70, 6, 7, 7, 69, 71, 70])
    taken.push((await sendDigest(at, nonce, { count })).status);
  t.strictSame(taken, [200, 200, 401, 200, 200, 401, 200, 401, 200, 200, 401]);
});

t.test('guesses at a password are counted over all workers', async (t) => {
  const { at } = await withDigest(t, 'strict');
  const nonce = await nonceOf(at);
  const statuses: number[] = [];
  for (let guess = 1; guess <= 12; guess++)
    statuses.push((await sendDigest(at, nonce, { count: guess, password: `guess ${guess}` })).status);
  t.strictSame(statuses, [...new Array(10).fill(401), 429, 429]);
});

t.test('a rate limit is exact over four workers', async (t) => {
  const routes = [{ match: { path: '/a' }, access: 'public', rate_limit: { by: 'address', requests: 20, per: '1h' } }];
  const { url } = await group(t, behind((await witness(t)).url, { routes }));
  const get = async () => {
    const answer = await fetch(`${url}/a`, { headers: { connection: 'close' } });
    await answer.arrayBuffer();
    return answer;
  };
  const all = await Promise.all(Array.from({ length: 100 }, get));
  t.equal(all.filter(({ status }) => status === 200).length, 20);
  const refused = all.filter(({ status }) => status === 429);
  t.equal(refused.length, 80);
  t.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0));
});

t.test(
  'while the primary does not answer, a limit is counted in each worker, and no Digest request passes',
  async (t) => {
    const users = userFile(t, digestLines('alice', 'r', 'wonderland'));
    const digest = { realm: 'r', users };
    const routes = [
      { match: { path: '/a' }, auth: 'digest', digest, access: 'authenticated' },
      { match: { path: '/b' }, access: 'public', rate_limit: { by: 'address', requests: 1000, per: '1h' } },
    ];
    const served = await group(t, behind((await witness(t)).url, { routes }), 2);
    const nonce = await nonceOf(`${served.url}/a`);
    t.equal((await fetch(`${served.url}/b`)).status, 200);
    served.process.kill('SIGSTOP');
    t.teardown(() => served.process.kill('SIGCONT'));
    // Over the kept connection, because only the primary can bring a new one to a worker.
    t.equal((await fetch(`${served.url}/b`)).status, 200);
    t.match(await sendDigest(`${served.url}/a`, nonce, { keep: true }), { status: 503, code: 'counters_unavailable' });
  },
);
