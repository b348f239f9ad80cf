import { LAST_COUNT, type NonceUsage } from '../../counters/counters.ts';
import type { Nonce } from '../../http-auth/nonce.ts';
import { CountWindow } from './count-window.ts';

/** How a nonce has been used so far. */
interface Used {
  /** The highest count. */
  max: number;
  readonly window: CountWindow;
  readonly issuedAt: number;
  /** The time when it expires. Afterwards it need not be remembered. */
  expiresAt: number;
  /** The cnonce of the first use, if that use began a session (RFC 7616 §3.4.2). */
  readonly cnonce: string | undefined;
}

export interface Use {
  /** The count. `last`: the nonce cannot be used again. */
  readonly count: number | 'last';
  readonly mode: 'strict' | 'window';
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly expiresAt: number;
  readonly cnonce?: string | undefined;
}

/**
 * The counts of nonces that were used with a correct password, so unknown clients cannot fill the memory. If there are
 * too many, the least recently used one is dropped. From then on, an equally old nonce without an entry is rejected. So
 * a lack of memory causes a new nonce, and never accepts a used one.
 */
export class NonceCounts {
  readonly #used = new Map<string, Used>();
  readonly #capacity: number;
  /** Milliseconds since the epoch. A nonce that was issued before this time and has no entry may have been used. */
  #floor: number;

  constructor(floor: number, capacity = 65_536) {
    this.#floor = floor;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#used.size;
  }

  /** The cnonce of its first use. Undefined: not used, or not for a session. */
  cnonceOf({ id }: Nonce): string | undefined {
    return this.#used.get(id)?.cnonce;
  }

  /** One atomic step. Call it only for a correct response. */
  use(nonce: Nonce, use: Use): NonceUsage {
    const before = this.#used.get(nonce.id);
    if (before !== undefined) return this.#again(nonce.id, before, use);
    if (nonce.issuedAt <= this.#floor) return 'forgotten';
    const max = use.count === 'last' ? LAST_COUNT : use.count;
    if (max === 0) return 'repeated';
    this.#used.set(nonce.id, {
      max,
      window: new CountWindow(),
      issuedAt: nonce.issuedAt,
      expiresAt: use.expiresAt,
      cnonce: use.cnonce,
    });
    if (this.#used.size > this.#capacity) this.#evict(use.now);
    return 'fresh';
  }

  #again(id: string, used: Used, { count, mode, expiresAt }: Use): NonceUsage {
    if (count === 'last' || !takes(used, count, mode)) return 'repeated';
    used.expiresAt = Math.max(used.expiresAt, expiresAt);
    this.#used.delete(id);
    this.#used.set(id, used);
    return 'fresh';
  }

  /** An expired nonce is rejected anyway, so its entry is dropped without raising the floor. */
  #evict(now: number): void {
    const [oldest] = this.#used;
    if (oldest === undefined) return;
    const [id, { issuedAt, expiresAt }] = oldest;
    this.#used.delete(id);
    if (expiresAt >= now) this.#floor = Math.max(this.#floor, issuedAt);
  }
}

/** Strict: the count must be greater than all before. Window: each count once, in any order, but not far behind. */
function takes(used: Used, count: number, mode: Use['mode']): boolean {
  const ahead = count - used.max;
  if (ahead > 0) {
    used.window.advance(ahead);
    used.max = count;
    return true;
  }
  return mode === 'window' && count !== 0 && used.window.takes(-ahead);
}
