import { setTimeout as pause } from 'node:timers/promises';
import { backoff } from '../../gateway/revocation/backoff.ts';
import { type ReceivedMessage, readLiveStream } from './live-stream.ts';
import type { Replica } from './replica.ts';

export type LiveEvent =
  | { readonly kind: 'connected' }
  | Extract<ReceivedMessage, { kind: 'batch' }>
  /** The command tries again. */
  | { readonly kind: 'lost'; readonly detail: string }
  /** The command does not try again. */
  | { readonly kind: 'refused'; readonly detail: string };

export type LiveSink = (replica: Replica, event: LiveEvent) => void;

/**
 * Follows all gateways from now on, until the signal. A gateway that cannot be reached is tried again, and the others continue.
 * Resolves early if every gateway refuses. Never rejects.
 */
export async function followReplicas(
  replicas: readonly Replica[],
  filter: string,
  sink: LiveSink,
  over: AbortSignal,
): Promise<void> {
  const ended = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([ended, Promise.all(replicas.map((replica) => follow({ replica, filter }, sink, over)))]);
}

async function follow(
  { replica, filter }: { readonly replica: Replica; readonly filter: string },
  sink: LiveSink,
  over: AbortSignal,
): Promise<void> {
  const pauses = backoff();
  let since: string | undefined;
  const take = (message: ReceivedMessage) => {
    if (over.aborted) return;
    if (message.kind === 'hello') {
      pauses.reset();
      sink(replica, { kind: 'connected' });
      return;
    }
    // The first message has decisions of the past.
    sink(replica, since === undefined ? { ...message, rows: [] } : message);
    since = message.id ?? since;
  };
  while (!over.aborted) {
    const { detail, isFinal } = await readLiveStream({ replica, filter, since }, take, over);
    if (over.aborted) return;
    sink(replica, { kind: isFinal ? 'refused' : 'lost', detail });
    if (isFinal) return;
    await pause(pauses.next(), undefined, { signal: over }).catch(() => {});
  }
}
