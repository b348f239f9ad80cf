import type { Socket } from 'node:net';

/** Node's internal object for a connection. It has no public name. */
interface Handle {
  /** 0, or a negative error number of the operating system. */
  getpeername(into: object): number;
}

/**
 * Whether the operating system has ended the connection. Node.js does not report this for an HTTP/2 connection that the
 * client resets during a write. It loses the error of the write, and does not read again before the write ends
 * (nodejs/node#61304).
 */
export function isConnectionGone(socket: Socket): boolean {
  const { _handle } = socket as { _handle?: Partial<Handle> | null };
  return typeof _handle?.getpeername === 'function' && _handle.getpeername({}) !== 0;
}
