import type { Rules } from './rules.ts';

/** A request that a real client of a real API sends, and what its upstream must see of it. */
export interface Row {
  readonly name: string;
  /** The rules that it stands before. */
  readonly before: Rules;
  /** `GET` where none is named. */
  readonly method?: string;
  readonly target: string;
  /** In place of the target where the contract says that it changes. */
  readonly arrives?: string;
  readonly version?: 'HTTP/1.0' | 'HTTP/1.1';
  readonly host?: string;
  /** Without Host, Content-Length and Transfer-Encoding. All that is not hop-by-hop must arrive as it is. */
  readonly headers?: readonly Field[];
  /** Of these names, in lower case, exactly these values arrive; an empty list: none. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** A bearer token with this scope in Authorization; it stays here. */
  readonly scope?: string;
  /** Latin-1, a character an octet. */
  readonly body?: string;
  /** The body in these chunks, of a length that is not said. */
  readonly chunks?: readonly string[];
  /** The answer of the upstream, all octets of it. */
  readonly answer?: string;
  /** What the client hears of it. */
  readonly hears?: string;
  /** 200 where none is named. */
  readonly status?: number;
  /** The sentence of the contract, where one may doubt. */
  readonly contract?: string;
}

export type Field = readonly [name: string, value: string];

/** What an upstream says. */
export function answerOf(status: string, headers: readonly string[], body = ''): string {
  return `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}
