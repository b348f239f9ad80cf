/** Milliseconds: the default times for an answer of an upstream. */
export const ANSWER_TIMES = { response: 30_000, idle: 60_000 } as const;
