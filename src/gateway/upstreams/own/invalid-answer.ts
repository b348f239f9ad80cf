/** An answer that breaks HTTP. No healthy upstream sends one. The gateway trusts nothing that comes after it on the connection. */
export class InvalidAnswer extends Error {
  readonly code = 'INVALID_ANSWER';
}

/**
 * An answer that is valid except for its beginning. undici can read it. The end of its content is certain, so the
 * request may be repeated over undici.
 */
export class ForeignAnswer extends InvalidAnswer {}

/** The connection ended before the answer did. */
export class AnswerCut extends Error {
  readonly code = 'ECONNRESET';
}
