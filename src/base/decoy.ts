import { hmacSha256 } from './hmac.ts';

/**
 * One of the costs at which passwords are stored, for a name that nobody has: always the same one for a name, and each as
 * often among such names as among users. So how long a refusal takes tells no known name from an unknown one, whatever is
 * stored. Where a cost comes or goes, most names keep theirs. Undefined: nothing is stored.
 * @param key what strangers do not know: else they could compute which cost an unknown name has
 * @param costs cost → how many users have it
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

/** Exponentially distributed: of several that are divided by weights, each is the least as often as its weight says. */
function lot(key: Uint8Array, text: string): number {
  const drawn = hmacSha256(key, text).readUIntBE(0, BYTES);
  return -Math.log((drawn + 1) / 2 ** (8 * BYTES));
}
