/** A socket, or a stream of a connection that supports resets. */
export interface Resettable {
  /** Our side has ended, or is about to end. */
  readonly writableEnded?: boolean;
  destroy(): unknown;
  resetAndDestroy?(): unknown;
}

/**
 * Closes a connection so that the other side does not treat a cut message as complete: by a reset if possible. While our side
 * ends, libuv refuses a reset (`uv_tcp_close_reset`: EINVAL). Node.js ignores this error, and the socket would stay open
 * forever.
 */
export function resetConnection(connection: Resettable): void {
  if (connection.resetAndDestroy === undefined || connection.writableEnded === true) connection.destroy();
  else connection.resetAndDestroy();
}
