import t from 'tap';
import { inTurn, nonceOf } from '../support/digest-caller.ts';
import { isFullSize } from '../support/long.ts';
import { heapInUse, probed } from '../support/memory.ts';
import type { GatewayProcess } from '../support/process.ts';
import { at, gateways } from './digest-gateways.ts';

/** Up to 55,000 challenges. */
t.setTimeout(300_000);

const CHALLENGES = isFullSize ? 50_000 : 5_000;
const MIB = 1_048_576;

t.test('unanswered challenges leave the heap unchanged, within 5 MiB', async (t) => {
  const { urls, processes } = await gateways(t, 1, 'strict', probed);
  const [running] = processes as readonly [GatewayProcess];
  const challenge = async (times: number) => {
    const nonces = await inTurn(Array.from({ length: times }), () => nonceOf(`${at(urls, 0)}/a`));
    return new Set(nonces).size;
  };
  await challenge(5_000);
  const before = await heapInUse(running);
  t.equal(await challenge(CHALLENGES), CHALLENGES, 'each with a nonce of its own');
  const grown = ((await heapInUse(running)) - before) / MIB;
  t.comment(`${CHALLENGES} challenges: ${grown.toFixed(2)} MiB`);
  t.ok(grown < 5, `${grown.toFixed(2)} MiB`);
});
