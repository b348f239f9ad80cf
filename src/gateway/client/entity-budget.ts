import { rememberedBlocks, shareOf } from '../../base/client-address.ts';

/** The memory that one held body uses. */
export interface Loan {
  /** Reserves memory. False: the client's share or the total is used up, and nothing was reserved. */
  take(bytes: number): boolean;
  /** Like `take`, for a body that need not be held. It leaves half of the memory to bodies that must be held. */
  spare(bytes: number): boolean;
  /** Releases all of it. A second call does nothing. */
  end(): void;
}

/**
 * The memory for held bodies, in bytes. No client can fill it, and no address can take everything from the others. An
 * announced length reserves nothing.
 */
export interface EntityBudget {
  /**
   * A loan for one body of this client. `share`: `limits.share`. `shareIsFull` runs if `take` fails because of this
   * client's own bodies.
   */
  open(address: string, share: number, shareIsFull?: () => void): Loan;
  readonly held: number;
}

const BYTES = 64 * 1024 * 1024;

export function entityBudget(capacity = BYTES): EntityBudget {
  const blockOf = rememberedBlocks();
  const byBlock = new Map<string, number>();
  let held = 0;
  const change = (block: string, bytes: number) => {
    const now = (byBlock.get(block) ?? 0) + bytes;
    held += bytes;
    if (now === 0) byBlock.delete(block);
    else byBlock.set(block, now);
  };
  return {
    get held() {
      return held;
    },
    open(address, share, shareIsFull) {
      const block = blockOf(address);
      let taken = 0;
      const isInShare = (bytes: number, all: number) => (byBlock.get(block) ?? 0) + bytes <= shareOf(share, all);
      const within = (bytes: number, all: number) => {
        if (held + bytes > all || !isInShare(bytes, all)) return false;
        taken += bytes;
        change(block, bytes);
        return true;
      };
      return {
        take(bytes) {
          if (!isInShare(bytes, capacity)) shareIsFull?.();
          return within(bytes, capacity);
        },
        spare: (bytes) => within(bytes, capacity / 2),
        end() {
          if (taken > 0) change(block, -taken);
          taken = 0;
        },
      };
    },
  };
}
