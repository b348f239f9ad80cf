import type { ListenerState } from '../client/exchange.ts';
import type { Forward } from '../decide/outcome.ts';

/**
 * Whether the answer is a stream on which the server may send messages at any time (Streamable HTTP, listening for
 * messages from the server). Such a stream has no end of its own, and the gateway cannot wait for it when it stops. Its
 * client connects again.
 */
export function isListening({ mcp }: Forward, method: string): boolean {
  if (mcp === undefined) return false;
  return method === 'GET' || mcp.call?.message?.method === 'subscriptions/listen';
}

/** Calls `end` when the gateway stops. Returns a function that stops the watch. */
export function watchStop({ draining, listening }: ListenerState, end: () => void): () => void {
  // The answer's head goes out first.
  if (draining) setImmediate(end);
  listening.add(end);
  return () => void listening.delete(end);
}
