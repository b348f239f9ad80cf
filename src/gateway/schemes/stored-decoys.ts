import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { currentCost, formatPasswordHash, HASH_LENGTH, SALT_LENGTH } from '../../base/password-hash.ts';
import { parseStoredPassword, type StoredPassword } from '../../config/files/stored-password.ts';
import { StorageUnavailable } from '../../storage/lookup/read.ts';
import type { FaultLog } from '../message/fault-log.ts';
import { DecoyHashes } from './decoys.ts';

/** The decoy hashes of a store, for names without a user. */
export interface StoredDecoys {
  of(name: string): StoredPassword | undefined;
  /** The stored password of a found user. */
  met(password: string): void;
  /** Reads which costs occur. Never rejects. */
  refresh(): Promise<void>;
}

/** Milliseconds between two reads of the costs. */
const LOOK_EVERY = 60_000;

export interface StoredDecoysDependencies {
  readonly clock: Clock;
  readonly faults: FaultLog;
}

/**
 * `sample`: passwords of the store. Before the first read, and for an empty store, a decoy costs as much as a new hash.
 */
export function storedDecoys(
  sample: () => Promise<readonly string[]>,
  { clock, faults }: StoredDecoysDependencies,
): StoredDecoys {
  let decoys = new DecoyHashes(today);
  let looked = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const seen = parsed(await sample());
    decoys = new DecoyHashes(seen.length === 0 ? today : seen);
  };
  const refresh = async () => {
    looked = clock.monotonic();
    await look().then(faults.recovered, (error: unknown) => tellDefect(faults, error));
  };
  return {
    of(name) {
      if (clock.monotonic() - looked > LOOK_EVERY) void refresh();
      return decoys.of(name);
    },
    met: (password) => parsed([password]).forEach((each) => void decoys.met(each)),
    refresh,
  };
}

/** No password matches an entry that cannot be parsed. */
function parsed(passwords: readonly string[]): StoredPassword[] {
  return passwords.flatMap((text) => {
    const stored = parseStoredPassword(text);
    return stored.ok ? [stored.value] : [];
  });
}

/**
 * The user look-up reports a store outage. For a defect, such as a row that another program wrote, the log gets only
 * the error's name, because the message may contain anything. This read has no caller, so an exception would end the
 * process.
 */
function tellDefect(faults: FaultLog, error: unknown): void {
  if (!(error instanceof StorageUnavailable)) faults.failed(`internal: ${(error as Error).name}`, 'error');
}

/** Costs as much as the hash of an account that is added today. */
const today = parsed([
  formatPasswordHash({ ...currentCost, salt: randomBytes(SALT_LENGTH), hash: randomBytes(HASH_LENGTH) }),
]);
