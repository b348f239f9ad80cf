import t from 'tap';
import { ask, credentialsFor, type DigestAnswer, inTurn, nonceOf } from '../support/digest-caller.ts';
import { isFullSize } from '../support/long.ts';
import { skipWithoutRedis } from '../support/redis.ts';
import { at, gateways, untilTaken } from './digest-gateways.ts';

/** Starts Redis and programs: 94 s in .ci/run on a busy machine. */
t.setTimeout(1_200_000);

const REPLAYS = isFullSize ? 10_000 : 1_000;
const NONCES = 20;

function passed(answers: readonly DigestAnswer[]): number {
  return answers.filter(({ status }) => status === 200).length;
}

/** Credentials that were used once, each nonce several times. */
async function usedCredentials(urls: readonly string[]): Promise<readonly string[]> {
  const nonces = await inTurn(Array.from({ length: NONCES }), (_, index) => nonceOf(`${at(urls, index)}/a`));
  const all = [1, 2, 3, 4, 5].flatMap((count) => nonces.map((nonce) => credentialsFor('/a', nonce, count)));
  for (const [index, each] of all.entries())
    if ((await ask(`${at(urls, index)}/a`, each)).status !== 200) throw new Error(`${index} was refused`);
  return all;
}

const stages = [
  { count: 1, title: 'one gateway', skip: false },
  { count: 2, title: 'two gateways at one Redis', skip: skipWithoutRedis },
] as const;

for (const { count, title, skip } of stages) {
  t.test(`${title}: of a hundred requests at once with one count, exactly one passes`, { skip }, async (t) => {
    for (const mode of ['strict', 'window'] as const) {
      const { urls } = await gateways(t, count, mode);
      const credentials = credentialsFor('/a', await nonceOf(`${at(urls, 0)}/a`), 1);
      const all = Array.from({ length: 100 }, (_, index) => ask(`${at(urls, index)}/a`, credentials));
      t.equal(passed(await Promise.all(all)), 1, mode);
    }
  });

  t.test(`${title}: no replay passes, and no other URL with the same header`, { skip }, async (t) => {
    const { urls } = await gateways(t, count, 'strict');
    const used = await usedCredentials(urls);
    const replays = await inTurn(Array.from({ length: REPLAYS }), (_, index) =>
      ask(`${at(urls, index >> 3)}/a`, at(used, index)),
    );
    t.equal(replays.length, REPLAYS);
    t.strictSame([...new Set(replays.map(({ status, stale }) => `${status} ${stale}`))], ['401 true']);
    const fresh = credentialsFor('/a', await nonceOf(`${at(urls, 0)}/a`), 1);
    for (const path of ['/b', '/a?x=1', '/a/', '/A'])
      t.match(await ask(at(urls, 0) + path, fresh), { status: 400, code: 'digest_uri' }, path);
    t.match(await ask(`${at(urls, 1)}/a`, fresh), { status: 200 }, 'nor did that use it up');
  });

  t.test(`${title}: in a window counts pass in any order, each once`, { skip }, async (t) => {
    const { urls } = await gateways(t, count, 'window');
    for (let round = 0; round < 5; round++) {
      const nonce = await nonceOf(`${at(urls, round)}/a`);
      const counts = Array.from({ length: 64 }, (_, index) => ((index * 37 + round * 11) % 64) + 1);
      const send = () =>
        Promise.all(counts.map((each, index) => ask(`${at(urls, index)}/a`, credentialsFor('/a', nonce, each))));
      t.equal(passed(await send()), 64, 'all at once, in an order of their own');
      t.equal(passed(await send()), 0);
    }
  });
}

t.test(
  'two gateways with one Redis: after it is emptied, used nonces get a new challenge and never pass',
  { skip: skipWithoutRedis },
  async (t) => {
    const { urls, flushall } = await gateways(t, 2, 'strict');
    const used = await usedCredentials(urls);
    const replays = await inTurn(Array.from({ length: REPLAYS }), async (_, index) => {
      if (index === Math.floor(REPLAYS / 2)) await flushall();
      return ask(`${at(urls, index >> 3)}/a`, at(used, index));
    });
    t.equal(passed(replays), 0);
    t.strictSame([...new Set(replays.map(({ status, stale }) => `${status} ${stale}`))], ['401 true']);
    t.strictSame([...new Set(replays.map(({ code }) => code))].sort(), ['nonce_replayed', 'nonce_stale']);
    await untilTaken(`${at(urls, 0)}/a`);
    t.equal(passed(await inTurn(used, (each, index) => ask(`${at(urls, index)}/a`, each))), 0, 'nor later');
    const fresh = credentialsFor('/a', await nonceOf(`${at(urls, 0)}/a`), 1);
    t.match(await ask(`${at(urls, 1)}/a`, fresh), { status: 200 }, 'who answers the new challenge passes');
  },
);
