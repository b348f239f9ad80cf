import type { EngineOptions, ForwardEngine } from './engine.ts';
import type { EngineFallback } from './engine-fallback.ts';
import { connectorFor, openOwn } from './own/own-engine.ts';
import { openUndici } from './undici-engine.ts';

/** The engine for the requests of one URL. Another engine takes over if the first cannot read the answers. */
export interface EngineChoice {
  /** The engine for the next request. */
  engine: ForwardEngine;
  /** The engine for a request whose answer was not understood. */
  lenient(): ForwardEngine;
  /** Undefined: there is only one engine. */
  readonly fallback: EngineFallback | undefined;
  destroy(): Promise<unknown>;
}

export function carriedBy(engine: ForwardEngine): EngineChoice {
  return { engine, lenient: () => engine, fallback: undefined, destroy: () => engine.destroy() };
}

/**
 * Our own engine, or undici while the fallback is on. undici opens for the first request that needs it. Each engine
 * keeps its own `connections` limit, so during a switch twice as many connections may exist.
 */
export function carriedByOwn(options: EngineOptions, fallback: EngineFallback): EngineChoice {
  const own = openOwn(options, connectorFor(options), ({ message }) => fallback.met(message));
  let undici: ForwardEngine | undefined;
  let isDestroyed = false;
  // After `destroy`, a new connection would never be closed. So a later request fails as with our own engine.
  const lenient = () => {
    if (isDestroyed) return undici ?? own;
    undici ??= openUndici(options);
    return undici;
  };
  const destroy = () => {
    isDestroyed = true;
    return Promise.all([own.destroy(), undici?.destroy()]);
  };
  // This engine reads the clock. Requests need not read it while the fallback is off.
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
