import { setTimeout as pause } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';

/** Milliseconds: a collector that is away holds up no stop. */
const PATIENCE = 2_000;

/** Exports the spans that the SDK keeps for its next batch: the process is about to end. Never rejects. */
export async function flushSpans(): Promise<void> {
  const flush = flushOf(providerOf(trace.getTracerProvider()));
  if (flush === undefined) return;
  const over = new AbortController();
  const late = pause(PATIENCE, undefined, { signal: over.signal });
  await Promise.allSettled([Promise.race([flush(), late]).finally(() => over.abort())]);
}

/** The API registers a stand-in, which has the SDK's own behind it. */
function providerOf(registered: object): object {
  if (!('getDelegate' in registered) || typeof registered.getDelegate !== 'function') return registered;
  const provider: unknown = registered.getDelegate();
  return typeof provider === 'object' && provider !== null ? provider : registered;
}

/** The API has no word for it, and every SDK the same. */
function flushOf(provider: object): (() => Promise<unknown>) | undefined {
  if (!('forceFlush' in provider) || typeof provider.forceFlush !== 'function') return undefined;
  const { forceFlush } = provider;
  return async () => forceFlush.call(provider);
}
