const sizes = { quick: 0, ci: 1, full: 2 } as const;

const wanted = process.env.FAULTS || 'quick';
if (!(wanted in sizes)) throw new Error(`FAULTS=${wanted}: it is quick (also when unset), ci or full`);

/**
 * `npm test` repeats every fault a few times, `npm run test:faults` as often as promised, and `FAULTS=full` more often.
 */
export function sized<T>(quick: T, ci: T, full: T): T {
  return [quick, ci, full][sizes[wanted as keyof typeof sizes]] as T;
}
