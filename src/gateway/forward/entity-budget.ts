/** Bytes of bodies that are held at a time to be judged. What a stranger may announce must not be all of memory. */
export interface EntityBudget {
  /** False: it is used up, and nothing was taken. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

const BYTES = 64 * 1024 * 1024;

export function entityBudget(capacity = BYTES): EntityBudget {
  let free = capacity;
  return {
    take(bytes) {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    give(bytes) {
      free += bytes;
    },
  };
}
