import { hmacSha256 } from './hmac.ts';

/**
 * The password cost for an unknown name. A name always gets the same cost, and costs are as frequent as among real users. So
 * the time of a rejection does not reveal which names exist. When a cost appears or disappears, most names keep their cost.
 * Undefined: nothing is stored.
 * @param key a secret: with it, a stranger could compute which cost an unknown name has
 * @param costs cost → number of users with this cost
 */
export function decoyCost(key: Uint8Array, name: string, costs: ReadonlyMap<string, number>): string | undefined {
  let least = Number.POSITIVE_INFINITY;
  let chosen: string | undefined;
  for (const [cost, count] of costs) {
    const drawn = lot(key, `${cost}\n${name}`) / count;
    if (drawn >= least) continue;
    least = drawn;
    chosen = cost;
  }
  return chosen;
}

const BYTES = 6;

/**
 * An exponentially distributed number. Divide several such numbers by weights: the chance of each to be the smallest is
 * then in proportion to its weight.
 */
function lot(key: Uint8Array, text: string): number {
  const drawn = hmacSha256(key, text).readUIntBE(0, BYTES);
  return -Math.log((drawn + 1) / 2 ** (8 * BYTES));
}
