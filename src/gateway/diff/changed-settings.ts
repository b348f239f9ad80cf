import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { changedEndings } from './changed-endings.ts';
import { changedIdentity } from './changed-identity.ts';
import { changedImplications } from './changed-implications.ts';
import { changedLimits } from './changed-limits.ts';
import { changedListeners } from './changed-listeners.ts';
import { changedMcp } from './changed-mcp.ts';
import { changedPasses } from './changed-passes.ts';
import { changedSchemes } from './changed-schemes.ts';
import { changedUpstreams } from './changed-upstreams.ts';

/**
 * Settings that affect access but that no probe can test: how tokens are verified, and which peers the gateway trusts.
 */
const trust = ['trusted_proxies', 'counters', 'login', 'cors', 'resource', 'development'] as const;

/**
 * The keys of changed settings, never their values, because some are secrets. The issuer identifies a server. Limits
 * are in words.
 */
export function changedSettings(old: GatewayConfig, now: GatewayConfig): readonly string[] {
  const before = new Map(Object.values(old.authorization_servers).map((server) => [server.issuer, server]));
  const servers = Object.entries(now.authorization_servers).flatMap(([name, server]) => {
    const earlier = before.get(server.issuer);
    // The probes already test a new server, and another audience.
    if (earlier === undefined) return [];
    return changedKeys({ ...earlier, audience: '' }, { ...server, audience: '' }).map(
      (key) => `authorization_servers.${name}.${key}`,
    );
  });
  return [
    ...trust.filter((key) => !same(old[key], now[key]) || (key === 'trusted_proxies' && isOtherHost(old, now))),
    ...servers,
    ...changedLimits(old, now),
    ...changedMcp(old, now),
    ...changedEndings(old, now),
    ...changedPasses(old, now),
    ...changedListeners(old, now),
    ...changedIdentity(old, now),
    ...changedSchemes(old, now),
    ...changedImplications(old, now),
    ...changedUpstreams(old, now),
  ];
}

/** In the file, it is a part of `trusted_proxies`. */
function isOtherHost(old: GatewayConfig, now: GatewayConfig): boolean {
  return old.is_host_forwarded !== now.is_host_forwarded;
}

function changedKeys(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>) {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !same(one[key], other[key]));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
