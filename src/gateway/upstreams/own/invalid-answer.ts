/** What no upstream that is well would send. Nothing that comes after it on the connection is believed. */
export class InvalidAnswer extends Error {
  readonly code = 'INVALID_ANSWER';
}

/** The connection ended, and the answer had not. */
export class AnswerCut extends Error {
  readonly code = 'ECONNRESET';
}
