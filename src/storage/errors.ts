/** The store did not do what was asked: nothing was decided, and the caller answers 503. */
export class StorageUnavailable extends Error {
  /** Seconds, for `Retry-After`. */
  readonly retryAfter = 5;

  constructor(detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.name = 'StorageUnavailable';
  }
}

/** The store cannot be used at all, and only the operator can change that. The message is one line for them. */
export class StorageUnusable extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'StorageUnusable';
  }
}
