import { isDeepStrictEqual } from 'node:util';
import type { GatewayConfig } from '../../config/schema/gateway.ts';

/** Settings that a process reads only at its start: addresses, workers, logs and shutdown. A change needs a restart. */
const fixed = [
  'listen',
  'listener',
  'admin',
  'health',
  'decision',
  'decision_grpc',
  'receiver',
  'workers',
  'log',
  'access_log',
  'shutdown',
] as const satisfies readonly (keyof GatewayConfig)[];

/** The new file with the old values of settings that need a restart, and the names of the changed ones. */
export function keepFixed(
  running: GatewayConfig,
  next: GatewayConfig,
): { readonly config: GatewayConfig; readonly kept: readonly string[] } {
  const kept = fixed.filter((key) => !isDeepStrictEqual(running[key], next[key]));
  const old = kept.map((key) => [key, running[key]] as const);
  const config = { ...next, ...Object.fromEntries(old.filter(([, value]) => value !== undefined)) };
  for (const key of kept) if (running[key] === undefined) delete config[key];
  return { config, kept };
}
