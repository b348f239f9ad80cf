import { decoyCost } from '../../base/decoy.ts';
import { currentCost, type PasswordCost, parsePasswordHash } from '../../base/password-hash.ts';
import { usernameKey } from '../../base/username.ts';

/** The password costs for unknown names. They are the costs of real accounts. */
export interface DecoyCosts {
  costOf(username: string): PasswordCost;
  /** Takes the password hash of a real account. Unknown names may then get the cost of this hash too. */
  met(passwordHash: string): void;
  /** Reads again which costs are in use. */
  refresh(): Promise<void>;
}

export interface DecoyOptions {
  readonly key: Uint8Array;
  /** Accounts in the file. */
  readonly passwordHashes: readonly string[];
  /** From the store: a sample if there are many. */
  readonly stored: () => Promise<readonly string[]>;
}

/** Rejects if the store does not answer. */
export async function openDecoys({ key, passwordHashes, stored }: DecoyOptions): Promise<DecoyCosts> {
  let costs = new Map<string, number>();
  const decoys: DecoyCosts = {
    costOf(username) {
      const cost = decoyCost(key, usernameKey(username), costs);
      return cost === undefined ? currentCost : fromName(cost);
    },
    met(passwordHash) {
      const cost = nameOf(passwordHash);
      if (cost !== undefined && !costs.has(cost)) costs.set(cost, 1);
    },
    async refresh() {
      costs = countedBy([...passwordHashes, ...(await stored())]);
    },
  };
  await decoys.refresh();
  return decoys;
}

function countedBy(passwordHashes: readonly string[]): Map<string, number> {
  const costs = new Map<string, number>();
  for (const hash of passwordHashes) {
    const cost = nameOf(hash);
    if (cost !== undefined) costs.set(cost, (costs.get(cost) ?? 0) + 1);
  }
  return costs;
}

/** Undefined for an unusable hash. Its account is treated like an unknown name. */
function nameOf(passwordHash: string): string | undefined {
  const parsed = parsePasswordHash(passwordHash);
  return parsed.ok ? [parsed.value.memory, parsed.value.passes, parsed.value.lanes].join() : undefined;
}

function fromName(name: string): PasswordCost {
  const [memory = 0, passes = 0, lanes = 0] = name.split(',').map(Number);
  return { memory, passes, lanes };
}
