import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { makeNonce, type Nonce, opaqueFor, readNonce } from '../../http-auth/nonce.ts';
import { NonceCounts } from './nonce-counts.ts';

/** The nonces of one gateway: signed, so that only those that were used are kept. */
export interface Nonces {
  /** Milliseconds since the epoch, which never steps back: else nonces would end, or live, by a step of the wall clock. */
  now(): number;
  issue(purpose: string): string;
  /** Undefined: not one of ours, or from too far in the future. */
  read(text: string, purpose: string): Nonce | undefined;
  /** One for each key: the first issues, and all accept, so that a new key changes no challenge. */
  opaques(purpose: string): readonly string[];
  /** 64 hexadecimal digits that no client can know, for an unknown user. */
  readonly decoy: string;
  readonly counts: NonceCounts;
}

/** Milliseconds by which the clock of another replica may be ahead. */
const AHEAD = 5000;

/** What a process knows of the nonces that were used, whichever keys signed them. */
export interface UsedNonces extends Pick<Nonces, 'now' | 'counts'> {}

export function openUsedNonces(clock: Clock): UsedNonces {
  const start = clock.now() - clock.monotonic();
  const now = () => Math.floor(start + clock.monotonic());
  return { now, counts: new NonceCounts(now()) };
}

/** The first key signs, all verify; without keys a random one serves until the end of the process. */
export function openNonces(texts: readonly string[] | undefined, { now, counts }: UsedNonces): Nonces {
  const keys = (texts ?? []).map((text) => Buffer.from(text, 'base64'));
  const key = keys[0] ?? randomBytes(32);
  if (keys.length === 0) keys.push(key);
  return {
    now,
    // The first of a process is issued after its beginning, which is the floor of its counts.
    issue: (purpose) => makeNonce({ key, now: now() + 1, random: randomBytes(9), purpose }),
    read(text, purpose) {
      const nonce = readNonce(keys, text, purpose);
      return nonce !== undefined && nonce.issuedAt <= now() + AHEAD ? nonce : undefined;
    },
    opaques: (purpose) => keys.map((each) => opaqueFor(each, purpose)),
    decoy: randomBytes(32).toString('hex'),
    counts,
  };
}
