/** What an upstream says to one request. */
export interface AnswerCase {
  readonly method: 'GET' | 'HEAD';
  /** The request asks for another protocol. */
  readonly upgrades: boolean;
  /** As latin1. */
  readonly bytes: string;
  /** The upstream ends the connection behind them. */
  readonly ends: boolean;
}

export interface SeenHead {
  readonly status: number;
  /** Names and values in turn. */
  readonly fields: readonly string[];
}

/** What an engine made of it. */
export interface Seen {
  /** Interim ones too. */
  readonly heads: readonly SeenHead[];
  /** As latin1. */
  readonly content: string;
  readonly trailers: readonly string[];
  /** waiting: all bytes were read, and there is more to come. */
  readonly end: 'complete' | 'switched' | 'failed' | 'waiting';
  /** Why it failed. */
  readonly error: Error | undefined;
  /** The connection is there for another request. */
  readonly isKept: boolean;
}

export function shown({ method, upgrades, bytes, ends }: AnswerCase): string {
  return `${method}${upgrades ? ' with Upgrade' : ''} ${JSON.stringify(bytes)}${ends ? ' FIN' : ''}`;
}
