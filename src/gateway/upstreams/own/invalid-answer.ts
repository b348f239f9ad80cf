/** What no upstream that is well would send. Nothing that comes after it on the connection is believed. */
export class InvalidAnswer extends Error {
  readonly code = 'INVALID_ANSWER';
}

/**
 * An answer that would be valid but for how it begins: undici reads it. Where its content ends is in no doubt, so it may be
 * asked for again over undici.
 */
export class ForeignAnswer extends InvalidAnswer {}

/** The connection ended, and the answer had not. */
export class AnswerCut extends Error {
  readonly code = 'ECONNRESET';
}
