import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import type { KeyRing } from '../../jwt/key-ring.ts';

/** Decides whether to ask the server for an unknown `kid`, so that clients cannot make the gateway ask at will. */
export interface KidMemory {
  /** At most one request in a cooldown. Later callers join a request in flight. */
  mayAsk(kid: string | undefined, ring: KeyRing, underWay: boolean): boolean;
  /** The server was asked and does not have it. */
  remember(kid: string | undefined): void;
}

const REMEMBERED = 1_000;
/** A kid that the server did not have is not asked for again within this many cooldowns. */
const PATIENCE = 6;

export function kidMemory(cooldown: number, clock: Clock): KidMemory {
  const absentUntil = new LRUCache<string, number>({ max: REMEMBERED });
  let nextQuestion = Number.NEGATIVE_INFINITY;
  return {
    mayAsk(kid, ring, underWay) {
      const now = clock.monotonic();
      const name = kid ?? '';
      if ((absentUntil.get(name) ?? now) > now || (kid !== undefined && ring.knows(kid)) || !isLikely(name, ring))
        return false;
      if (underWay) return true;
      if (now < nextQuestion) return false;
      nextQuestion = now + cooldown;
      return true;
    },
    remember(kid) {
      absentUntil.set(kid ?? '', clock.monotonic() + PATIENCE * cooldown);
    },
  };
}

const NAME = /^[\w.~+/=:@#-]{0,256}$/;

/** Attacks use paths, statements and URLs as names. Servers rarely do, unless this server already has such names. */
function isLikely(kid: string, ring: KeyRing): boolean {
  return isPlain(kid) || [...ring.keys.values()].some((key) => key.kid !== undefined && !isPlain(key.kid));
}

function isPlain(kid: string): boolean {
  return NAME.test(kid) && !kid.includes('..') && !kid.includes('//');
}
