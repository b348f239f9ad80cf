import type { Socket } from 'node:net';

/** What Node.js keeps of a connection. It has no public name. */
interface Handle {
  /** 0, or the negative number of an error of the system. */
  getpeername(into: object): number;
}

/**
 * Whether the system has ended the connection. Node.js does not tell that of a connection over HTTP/2 whose client resets it
 * during a write: the error of that write is lost, and Node.js reads no more before a write is over (nodejs/node#61304).
 */
export function isConnectionGone(socket: Socket): boolean {
  const { _handle } = socket as { _handle?: Partial<Handle> | null };
  return typeof _handle?.getpeername === 'function' && _handle.getpeername({}) !== 0;
}
