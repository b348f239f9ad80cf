import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { makeNonce, type Nonce, opaqueFor } from '../../http-auth/nonce.ts';
import { KnownNonces } from './known-nonces.ts';
import { NonceCounts } from './nonce-counts.ts';

/** The nonces of one gateway. They are signed, so that only used ones need to be stored. */
export interface Nonces {
  /**
   * Milliseconds since the epoch. The time never steps back: a step of the wall clock would end nonces early, or extend
   * them.
   */
  now(): number;
  issue(purpose: string): string;
  /** Undefined: the nonce is not one of ours, or is from too far in the future. */
  read(text: string, purpose: string): Nonce | undefined;
  /**
   * One opaque for each key. The first key issues nonces and all keys accept them, so a new key changes no open
   * challenge.
   */
  opaques(purpose: string): readonly string[];
  /** 64 hexadecimal digits that no client can know, in place of an unknown user's hash. */
  readonly decoy: string;
  readonly counts: NonceCounts;
}

/** Milliseconds by which the clock of another replica may be ahead. */
const AHEAD = 5000;

/** What a process knows about used nonces, whichever keys signed them. */
export interface UsedNonces extends Pick<Nonces, 'now' | 'counts'> {}

/** `start`: the wall clock when the monotonic clock was 0, as all processes of a group see it. */
export function openUsedNonces(clock: Clock, start = clock.now() - clock.monotonic()): UsedNonces {
  const now = () => Math.floor(start + clock.monotonic());
  return { now, counts: new NonceCounts(now()) };
}

/** The first key signs, all verify. Without keys, the process uses a random one. */
export function openNonces(texts: readonly string[] | undefined, { now, counts }: UsedNonces): Nonces {
  const keys = (texts ?? []).map((text) => Buffer.from(text, 'base64'));
  const key = keys[0] ?? randomBytes(32);
  if (keys.length === 0) keys.push(key);
  const known = new KnownNonces(keys);
  return {
    now,
    // Counts begin at the start of the process, so its first nonce must be issued after the start.
    issue: (purpose) => makeNonce({ key, now: now() + 1, random: randomBytes(9), purpose }),
    read(text, purpose) {
      const nonce = known.read(text, purpose);
      return nonce !== undefined && nonce.issuedAt <= now() + AHEAD ? nonce : undefined;
    },
    opaques: (purpose) => keys.map((each) => opaqueFor(each, purpose)),
    decoy: randomBytes(32).toString('hex'),
    counts,
  };
}
