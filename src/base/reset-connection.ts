/** What can be reset: a socket, or a stream of a connection that can reset itself. */
export interface Resettable {
  /** Its own side has ended, or is about to. */
  readonly writableEnded?: boolean;
  destroy(): unknown;
  resetAndDestroy?(): unknown;
}

/**
 * Closes a connection so that the other side does not take a cut message for a whole one: by a reset where one is possible.
 * While the own side ends, libuv refuses a reset (`uv_tcp_close_reset`: EINVAL). Node.js ignores that error, and the socket
 * would stay open forever.
 */
export function resetConnection(connection: Resettable): void {
  if (connection.resetAndDestroy === undefined || connection.writableEnded === true) connection.destroy();
  else connection.resetAndDestroy();
}
