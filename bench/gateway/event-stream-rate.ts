/** Bytes of an event, with the empty line at its end. */
export const EVENT_BYTES = 1024;

/** Milliseconds between two events of a stream. */
export const EVERY = 20;

/** Streams that are open at one time, below the share of one client address. */
export const STREAMS = 100;
