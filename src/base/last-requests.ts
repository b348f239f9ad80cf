import { Server } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/**
 * Milliseconds after a stop signal in which an open connection may send another request. Closing a connection would lose a
 * request in flight (RFC 9112 §9.6). So each client gets `Connection: close` with its next answer. Only connections without a
 * request in this time are closed silently.
 */
export const LAST_REQUESTS = 500;

/** Turns of the event loop in which new connections may still arrive. Then the listener closes anyway. */
const MOST_TURNS = 100;

/**
 * Stops accepting connections, but leaves open ones alone, unlike an HTTP server's `close`. Clients that have already connected
 * are accepted first, because closing a listener resets its queue.
 */
export async function stopListening(server: Server): Promise<void> {
  let came = true;
  const arrived = () => {
    came = true;
  };
  server.on('connection', arrived);
  for (let turns = 0; came && turns < MOST_TURNS; turns++) {
    came = false;
    await turn();
    await turn();
  }
  server.off('connection', arrived);
  Server.prototype.close.call(server);
}

/** Resolves when nothing is open, or the time is over. Everything that has arrived by then is read. */
export async function lastRequests(isOpen: () => boolean, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (isOpen() && performance.now() < end) await pause(10);
  await turn();
}
