/** How long an answer of an upstream is waited for where the file does not say it, in milliseconds. */
export const ANSWER_TIMES = { response: 30_000, idle: 60_000 } as const;
