import { Server } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/**
 * Milliseconds after a signal to stop for which a kept connection may bring another request. RFC 9112 §9.6: whoever closes
 * a connection as a request is on its way loses it, so each is told `Connection: close` in the answer to a request, and
 * only those that bring none for so long are closed without a word.
 */
export const LAST_REQUESTS = 500;

/** Turns of the event loop for which connections may keep coming before the listener closes all the same. */
const MOST_TURNS = 100;

/**
 * Accepts nothing more, and leaves alone what is open, which the `close` of an HTTP server does not. Whoever has connected
 * by now is accepted first: a listener that closes resets those in its queue.
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

/** Resolves once nothing is open, or the time is over; whatever had arrived by then is read. */
export async function lastRequests(isOpen: () => boolean, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (isOpen() && performance.now() < end) await pause(10);
  await turn();
}
