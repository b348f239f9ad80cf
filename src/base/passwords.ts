import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type Asker, type BoundedQueue, buildBoundedQueue } from './bounded-queue.ts';
import {
  currentCost,
  formatPasswordHash,
  HASH_LENGTH,
  needsRehash,
  type PasswordCost,
  type PasswordHash,
  parsePasswordHash,
  SALT_LENGTH,
} from './password-hash.ts';
import { type PasswordFault, preparePassword } from './password-text.ts';
import { sameBytes } from './secret.ts';
import { type Outage, outage, type Refused, refused } from './verdict.ts';

/** Argon2id on the thread pool. Too many hashes at a time are an outage of `passwords`, and never count as a wrong password. */
export interface Passwords {
  /** The PHC string of a new hash. The caller checks whether the password is good enough. */
  hash(password: string): Promise<HashedPassword | Outage>;
  /** `stored` is undefined for an unknown user, who is rejected after the same work as a wrong password. */
  verify(
    stored: string | undefined,
    password: string,
    told?: HashOptions,
  ): Promise<Matches | Refused<WrongPassword> | Outage>;
}

export interface HashOptions {
  /** The caller, who may use only a share of the queue. */
  readonly asker?: Asker | undefined;
  /** The cost for an unknown user, or for an unusable hash. Default: the cost of new hashes. */
  readonly decoy?: PasswordCost | undefined;
}

export type HashedPassword =
  | { readonly kind: 'hashed'; readonly phc: string }
  | { readonly kind: 'unfit'; readonly reason: PasswordFault };

export interface Matches {
  readonly kind: 'matches';
  /** The stored hash is weaker than a new one: replace it with a new hash of this password. */
  readonly needsRehash: boolean;
}

/** The client gets the same answer for both; `unusable_hash` is for the log. */
export type WrongPassword = 'wrong_password' | 'unusable_hash';

export interface PasswordOptions {
  readonly cost?: PasswordCost;
  /** The queue of waiting hashes. */
  readonly queue?: BoundedQueue;
  /** Receives the cost of each computed hash. */
  readonly ran?: (cost: PasswordCost) => void;
}

/** `Retry-After`, seconds: the queue takes a second or two. */
const RETRY_AFTER = 2;

/**
 * Uses two of libuv's four threads, because files and DNS need the others. A hash takes about 40 ms, so the last waiter waits
 * about a second and a half.
 */
export function buildPasswordQueue(kept = 0): BoundedQueue {
  return buildBoundedQueue({ atOnce: 2, waiting: 64, kept });
}

export function buildPasswords({
  cost = currentCost,
  queue = buildPasswordQueue(),
  ran = () => {},
}: PasswordOptions = {}): Passwords {
  const unknownUser: PasswordHash = { ...cost, salt: randomBytes(SALT_LENGTH), hash: randomBytes(HASH_LENGTH) };
  const derived = (bytes: Uint8Array, by: PasswordHash, asker?: Asker) =>
    queue.run(() => {
      ran(by);
      return derive(bytes, by);
    }, asker);

  return {
    async hash(password) {
      const prepared = preparePassword(password);
      if (prepared.kind === 'unfit') return prepared;
      const salt = randomBytes(SALT_LENGTH);
      const hash = await derived(prepared.bytes, { ...unknownUser, salt });
      return hash === undefined
        ? passwordsBusy()
        : { kind: 'hashed', phc: formatPasswordHash({ ...cost, salt, hash }) };
    },
    async verify(stored, password, { asker, decoy } = {}) {
      const prepared = preparePassword(password);
      const parsed = stored === undefined ? undefined : parsePasswordHash(stored);
      const known = parsed?.ok ? parsed.value : { ...unknownUser, ...decoy };
      const hash = await derived(prepared.kind === 'unfit' ? NOTHING : prepared.bytes, known, asker);
      if (hash === undefined) return passwordsBusy();
      if (parsed?.ok === false) return refused('unusable_hash', parsed.message);
      const isRight = sameBytes(hash, known.hash) && parsed !== undefined && prepared.kind === 'prepared';
      return isRight ? { kind: 'matches', needsRehash: needsRehash(known, cost) } : refused('wrong_password');
    },
  };
}

const NOTHING = Buffer.alloc(1);

/** The outage while the queue is full. */
export function passwordsBusy(): Outage {
  return outage('passwords', RETRY_AFTER, 'too many password checks are running now');
}

const argon2Async = promisify(argon2);

/** RFC 9106 §3.1, without a secret value and associated data. */
function derive(message: Uint8Array, { memory, passes, lanes, salt, hash }: PasswordHash): Promise<Uint8Array> {
  return argon2Async('argon2id', {
    message,
    nonce: salt,
    parallelism: lanes,
    tagLength: hash.length,
    memory,
    passes,
  });
}
