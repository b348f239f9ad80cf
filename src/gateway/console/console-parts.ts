import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import type { Loaded, Pointer, Position } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { LiveGeneration } from '../generation/generation.ts';
import type { ConsoleParts } from './console.ts';
import { LiveHub, type LiveSource } from './live/hub.ts';
import { RunningFiles } from './questions/running-file.ts';

export interface ConsoleCore {
  readonly live: LiveGeneration;
  readonly clock: Clock;
  readonly directory: string;
}

/** How the file of the gateway is read. */
export interface ConsoleFile {
  readonly read?: (() => Loaded<GatewayConfig>) | undefined;
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
}

/** @param workers the number of workers. 0: the gateway is one process */
export function consoleParts(
  { live, clock, directory }: ConsoleCore,
  { read, locate }: ConsoleFile,
  source: LiveSource,
  workers = 0,
): ConsoleParts {
  const files = new RunningFiles({ live, directory, load: read, locate: read === undefined ? locate : undefined });
  const gateway = `${hostname()}:${process.pid}`;
  return { live, hub: new LiveHub(source, clock), files, greeting: () => ({ gateway, workers }) };
}
