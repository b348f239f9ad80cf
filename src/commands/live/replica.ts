import type { ListenerConnection } from '../common/listener-connection.ts';

/** One running gateway that a command watches. */
export interface Replica {
  /** The host, port and path of its admin listener, which name it in the output. */
  readonly name: string;
  /** The URL of the listener, without a slash at the end. */
  readonly url: string;
  /** The value of the Authorization field. */
  readonly authorization: string | undefined;
  /** How the command connects to it. */
  readonly connection: ListenerConnection;
}

/** The URL of the decisions. `since`: the id of the last message; undefined: the reader has none. */
export function decisionsUrl({ url }: Replica, filter: string, since?: string): string {
  const query = new URLSearchParams({ filter, ...(since !== undefined && { since }) });
  return `${url}/api/decisions?${query}`;
}

/** The fields of each request. */
export function fieldsOf({ authorization }: Replica, accept: string): Record<string, string> {
  return { accept, ...(authorization !== undefined && { authorization }) };
}
