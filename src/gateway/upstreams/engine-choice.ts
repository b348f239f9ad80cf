import type { EngineOptions, ForwardEngine } from './engine.ts';
import type { EngineFallback } from './engine-fallback.ts';
import { connectorFor, openOwn } from './own/own-engine.ts';
import { openUndici } from './undici-engine.ts';

/** What carries requests to one url: one engine, or another one where the answers are not for the first. */
export interface EngineChoice {
  /** For the next request. */
  engine: ForwardEngine;
  /** For a request whose answer was not understood. */
  lenient(): ForwardEngine;
  /** Undefined: it has one engine. */
  readonly fallback: EngineFallback | undefined;
  destroy(): Promise<unknown>;
}

export function carriedBy(engine: ForwardEngine): EngineChoice {
  return { engine, lenient: () => engine, fallback: undefined, destroy: () => engine.destroy() };
}

/**
 * Our own engine, and undici while the fallback is on. undici opens for the first request that needs it. Each engine keeps to
 * `connections` on its own, so during a switch twice as many connections may exist.
 */
export function carriedByOwn(options: EngineOptions, fallback: EngineFallback): EngineChoice {
  const own = openOwn(options, connectorFor(options), ({ message }) => fallback.met(message));
  let undici: ForwardEngine | undefined;
  let isDestroyed = false;
  // A later request fails as with the own engine: a connection opened then would never be closed.
  const lenient = () => {
    if (isDestroyed) return undici ?? own;
    undici ??= openUndici(options);
    return undici;
  };
  const destroy = () => {
    isDestroyed = true;
    return Promise.all([own.destroy(), undici?.destroy()]);
  };
  // It reads the clock, so that requests need not while there is nothing to check.
  const fallen: ForwardEngine = {
    tellsWaits: false,
    // undici sends no request for `*`.
    dispatch: (request, handler) =>
      (fallback.isOn && request.path !== '*' ? lenient() : own).dispatch(request, handler),
    destroy,
  };
  const carrier = { engine: own, lenient, fallback, destroy };
  fallback.join((isOn) => {
    carrier.engine = isOn ? fallen : own;
  });
  return carrier;
}
