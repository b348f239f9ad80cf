/** What no upstream that is well would send. Nothing that comes after it on the connection is believed. */
export class InvalidAnswer extends Error {
  readonly code = 'INVALID_ANSWER';
}

/**
 * An answer that is valid except for its beginning. undici can read it. The end of its content is not in doubt, so the
 * request may be repeated over undici.
 */
export class ForeignAnswer extends InvalidAnswer {}

/** The connection ended, and the answer had not. */
export class AnswerCut extends Error {
  readonly code = 'ECONNRESET';
}
