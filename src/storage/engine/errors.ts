/** The store failed. Nothing was changed, and the caller answers 503. */
export class StorageUnavailable extends Error {
  /** Seconds, for `Retry-After`. */
  readonly retryAfter = 5;

  constructor(detail: string, options?: { cause: unknown }) {
    super(detail, options);
    this.name = 'StorageUnavailable';
  }
}

/** The store cannot be used at all, and only the operator can change this. The message is one line for them. */
export class StorageUnusable extends Error {
  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'StorageUnusable';
  }
}

/** `database`: its name for the operator, without its password. */
export function unusable(database: string, cause: unknown): StorageUnusable {
  if (cause instanceof StorageUnusable) return new StorageUnusable(`${database}: ${cause.message}`, { cause });
  return new StorageUnusable(`the database ${database} cannot be used: ${reasonOf(cause)}`, { cause });
}

/** The message of the innermost error. It says why, and the messages around it repeat it. */
export function rootReason(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? rootReason(error.cause) : reasonOf(error);
}

/** If a hostname has several addresses, Node.js throws an AggregateError, and only its inner errors have messages. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
