import type { Rules } from './rules.ts';

/** A request that a real client of a real API sends, and what its upstream must get. */
export interface Row {
  readonly name: string;
  /** The rules that it is for. */
  readonly before: Rules;
  /** `GET` by default. */
  readonly method?: string;
  readonly target: string;
  /** Replaces the target if the contract says that it changes. */
  readonly arrives?: string;
  readonly version?: 'HTTP/1.0' | 'HTTP/1.1';
  readonly host?: string;
  /** Without Host, Content-Length and Transfer-Encoding. All fields that are not hop-by-hop must arrive unchanged. */
  readonly headers?: readonly Field[];
  /** For these names, in lowercase, exactly these values arrive; an empty list: none. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** The scope of a bearer token in Authorization, which is not forwarded. */
  readonly scope?: string;
  /** Latin-1, a character an octet. */
  readonly body?: string;
  /** The body in these chunks, without a Content-Length. */
  readonly chunks?: readonly string[];
  /** The answer of the upstream, with all its octets. */
  readonly answer?: string;
  /** What the client gets. */
  readonly hears?: string;
  /** 200 by default. */
  readonly status?: number;
  /** The sentence of the contract for unclear cases. */
  readonly contract?: string;
}

export type Field = readonly [name: string, value: string];

/** An answer of an upstream. */
export function answerOf(status: string, headers: readonly string[], body = ''): string {
  return `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}
