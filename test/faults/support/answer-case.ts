/** The answer of an upstream to one request. */
export interface AnswerCase {
  readonly method: 'GET' | 'HEAD';
  /** The request asks for another protocol. */
  readonly upgrades: boolean;
  /** As latin1. */
  readonly bytes: string;
  /** The upstream ends the connection after them. */
  readonly ends: boolean;
}

export interface SeenHead {
  readonly status: number;
  /** Names and values in turn. */
  readonly fields: readonly string[];
}

/** How an engine read it. */
export interface Seen {
  /** Including interim answers. */
  readonly heads: readonly SeenHead[];
  /** As latin1. */
  readonly content: string;
  readonly trailers: readonly string[];
  /** waiting: all bytes were read, and more must come. */
  readonly end: 'complete' | 'switched' | 'failed' | 'waiting';
  /** Why it failed. */
  readonly error: Error | undefined;
  /** The connection is available for another request. */
  readonly isKept: boolean;
}

export function shown({ method, upgrades, bytes, ends }: AnswerCase): string {
  return `${method}${upgrades ? ' with Upgrade' : ''} ${JSON.stringify(bytes)}${ends ? ' FIN' : ''}`;
}
