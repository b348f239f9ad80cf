import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { readReferred } from '../config/files/referred-file.ts';
import type { Pointer, Position } from '../config/load/load.ts';
import type { GatewayConfig } from '../config/schema/gateway.ts';
import type { SentGeneration } from './messages.ts';

type Keys = Pick<Required<GatewayConfig>, 'nonce_keys' | 'ticket_keys' | 'session_keys'>;

/** Random keys for files without their own. All workers of one start share them. */
export function randomKeys(): Keys {
  const key = () => [randomBytes(32).toString('base64')];
  return { nonce_keys: key(), ticket_keys: key(), session_keys: key() };
}

export function withKeys(config: GatewayConfig, keys: Keys): GatewayConfig {
  return {
    ...config,
    nonce_keys: config.nonce_keys ?? keys.nonce_keys,
    ticket_keys: config.ticket_keys ?? keys.ticket_keys,
    session_keys: config.session_keys ?? keys.session_keys,
  };
}

export interface Sending {
  readonly version: number;
  readonly workers: number;
  readonly directory: string;
  readonly locate: ((pointer: Pointer) => Position) | undefined;
  readonly desks: SentGeneration['desks'];
}

/** The content that every worker compiles. Its files of users and API keys are read now, and also apply to workers that start later. */
export function sentGeneration(config: GatewayConfig, sending: Sending): SentGeneration {
  const { version, workers, directory, locate, desks } = sending;
  const places = locate === undefined ? [] : config.routes.map((_, index) => locate(['routes', index]));
  return {
    version,
    config: shareOut(config, workers),
    directory,
    places,
    desks,
    contents: contentsOf(config, directory),
  };
}

/** All workers together open no more connections to an upstream than its file allows. Each worker has at least one. */
function shareOut(config: GatewayConfig, workers: number): GatewayConfig {
  const part = (count: number, least: number) => Math.max(least, Math.floor(count / workers));
  const upstreams = Object.entries(config.upstreams).map(([name, block]) => {
    const { max_connections, max_pending } = block;
    const shares = { max_connections: part(max_connections, 1), max_pending: part(max_pending, max_pending && 1) };
    return [name, { ...block, ...shares }] as const;
  });
  return { ...config, upstreams: Object.fromEntries(upstreams) };
}

function contentsOf({ routes }: GatewayConfig, directory: string): Record<string, string> {
  const named = routes.flatMap(({ basic, digest, api_key }) => [basic?.users, digest?.users, api_key?.keys]);
  const files = new Set(named.filter((users) => typeof users === 'string').map((file) => resolve(directory, file)));
  return Object.fromEntries([...files].flatMap((file) => contentOf(file, directory)));
}

/** The file was readable a moment ago. If it is missing now, the workers report that. */
function contentOf(file: string, directory: string): [string, string][] {
  const read = readReferred(file, { directory });
  return read.ok ? [[file, read.bytes.toString('base64')]] : [];
}
