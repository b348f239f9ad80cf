import { setTimeout as pause } from 'node:timers/promises';
import { trace } from '@opentelemetry/api';

/** Milliseconds. An unreachable collector must not delay the stop. */
const PATIENCE = 2_000;

/** Exports the spans that the SDK keeps for its next batch, before the process ends. Never rejects. */
export async function flushSpans(): Promise<void> {
  const flush = flushOf(providerOf(trace.getTracerProvider()));
  if (flush === undefined) return;
  const over = new AbortController();
  const late = pause(PATIENCE, undefined, { signal: over.signal });
  await Promise.allSettled([Promise.race([flush(), late]).finally(() => over.abort())]);
}

/** The API registers a proxy object. The SDK's own provider is behind it. */
function providerOf(registered: object): object {
  if (!('getDelegate' in registered) || typeof registered.getDelegate !== 'function') return registered;
  const provider: unknown = registered.getDelegate();
  return typeof provider === 'object' && provider !== null ? provider : registered;
}

/** The API has no method for this, but every SDK has the same one. */
function flushOf(provider: object): (() => Promise<unknown>) | undefined {
  if (!('forceFlush' in provider) || typeof provider.forceFlush !== 'function') return undefined;
  const { forceFlush } = provider;
  return async () => forceFlush.call(provider);
}
