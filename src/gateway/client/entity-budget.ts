import { rememberedBlocks, shareOf } from '../../base/client-address.ts';

/** What one body has taken of the memory for bodies that are held. */
export interface Loan {
  /** False: no more memory is available, for its client address or in total, and nothing was reserved. */
  take(bytes: number): boolean;
  /** As `take`, for what need not be held: half of the memory stays for those who need it. */
  spare(bytes: number): boolean;
  /** Gives all of it back. Does nothing the second time. */
  end(): void;
}

/**
 * Bytes of bodies that may be held at a time. A stranger must not fill the memory, and one address must not take everything
 * from the others. An announced length reserves nothing.
 */
export interface EntityBudget {
  /**
   * For one body of this client. `share`: `limits.share`. `shareIsFull`: told where `take` fails because of what this client
   * has, and not where others have taken the memory.
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
