import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { currentCost, formatPasswordHash, HASH_LENGTH, SALT_LENGTH } from '../../base/password-hash.ts';
import { parseStoredPassword, type StoredPassword } from '../../config/files/stored-password.ts';
import { StorageUnavailable } from '../../storage/lookup/read.ts';
import type { FaultLog } from '../message/fault-log.ts';
import { DecoyHashes } from './decoys.ts';

/** What a password is judged by where no user of a store has the name. */
export interface StoredDecoys {
  of(name: string): StoredPassword | undefined;
  /** As the store has it, of a user who was found. */
  met(password: string): void;
  /** Reads which costs occur; never rejects. */
  refresh(): Promise<void>;
}

/** Milliseconds after which it is looked again. */
const LOOK_EVERY = 60_000;

export interface StoredDecoysDependencies {
  readonly clock: Clock;
  readonly faults: FaultLog;
}

/** `sample`: passwords of the store. Until the first look, and where it is empty, as dear as one of today. */
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
 * A store outage is reported by the user lookup. For a defect, such as a row that another program wrote, only the error's
 * name is logged: the message may hold anything. This look has no caller, so a throw would end the process.
 */
function tellDefect(faults: FaultLog, error: unknown): void {
  if (!(error instanceof StorageUnavailable)) faults.failed(`internal: ${(error as Error).name}`, 'error');
}

/** As dear as the hash of an account that is added today. */
const today = parsed([
  formatPasswordHash({ ...currentCost, salt: randomBytes(SALT_LENGTH), hash: randomBytes(HASH_LENGTH) }),
]);
