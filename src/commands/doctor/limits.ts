/** Milliseconds for one look, whatever it is at. */
export const DEADLINE = 3_000;
