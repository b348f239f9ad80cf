import { isDeepStrictEqual } from 'node:util';
import type { Loaded, Pointer, Problem } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { isLoopback } from '../../config/words/host.ts';
import { receivesReports } from '../receiver/open-log.ts';

type Sound = Extract<Loaded<GatewayConfig>, { ok: true }>;

interface Tightening {
  readonly pointer: Pointer;
  readonly message: string;
  readonly found: (old: GatewayConfig, now: GatewayConfig) => boolean;
}

const ranks = { none: 0, optional: 1, required: 2 } as const;
const clientAuth = ({ listen: { tls } }: GatewayConfig) => ranks[tls?.client_auth ?? 'none'];

/** Settings that restrict access and need a restart. */
const tightenings: readonly Tightening[] = [
  {
    pointer: ['listen', 'tls'],
    message: 'TLS begins only with a restart',
    found: (old, now) => old.listen.tls === undefined && now.listen.tls !== undefined,
  },
  {
    pointer: ['listen', 'tls', 'client_auth'],
    message: 'the gateway requests client certificates only after a restart',
    found: (old, now) => old.listen.tls !== undefined && clientAuth(now) > clientAuth(old),
  },
  {
    pointer: ['listen', 'tls', 'client_ca'],
    message: 'another path in `client_ca` needs a restart; each reload reads the file at the old path again',
    found: ({ listen: old }, { listen: now }) =>
      old.tls?.client_ca !== undefined && now.tls?.client_ca !== undefined && old.tls.client_ca !== now.tls.client_ca,
  },
  {
    pointer: ['admin', 'access'],
    message: 'the new rules for operators apply only after a restart',
    found: ({ admin: old }, { admin: now }) =>
      old !== undefined && now !== undefined && now.access !== 'loopback' && !isDeepStrictEqual(old.access, now.access),
  },
  {
    pointer: ['admin', 'console'],
    message: 'the console stays available until a restart',
    found: ({ admin: old }, { admin: now }) =>
      old?.console === true && now?.console === false && isOut(old) === isOut(now),
  },
  {
    pointer: ['admin', 'tls'],
    message: 'TLS for operators begins only with a restart',
    found: ({ admin: old }, { admin: now }) => old !== undefined && old.tls === undefined && now?.tls !== undefined,
  },
  {
    pointer: ['authorization_servers'],
    message: 'the gateway receives reports of logouts and security events only after a restart',
    found: (old, now) => !receivesReports(old) && receivesReports(now),
  },
  {
    pointer: ['counters'],
    message: 'reports of logouts and security events stay in the old `counters` until a restart',
    found: (old, now) => receivesReports(old) && receivesReports(now) && old.counters.url !== now.counters.url,
  },
  ...(['listen', 'admin', 'health', 'decision'] as const).map((key) => ({
    pointer: [key],
    message: `\`${key}\` stays reachable from other machines until a restart`,
    found: (old: GatewayConfig, now: GatewayConfig) => isOut(old[key]) && !isOut(now[key]),
  })),
];

function isOut(address: { readonly host: string } | undefined): boolean {
  return address !== undefined && !isLoopback(address.host);
}

/** An operator who restricts access must not see a false success. So a reload with such a change loads nothing. */
export function tightenedAtRestart(old: GatewayConfig, { config, locate }: Sound): readonly Problem[] {
  const hint = 'restart the gateway with this file, or restore the old value until then';
  return tightenings
    .filter(({ found }) => found(old, config))
    .map(({ pointer, message }) => ({ severity: 'error', ...locate(pointer), message, hint }));
}
