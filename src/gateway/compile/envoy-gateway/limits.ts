import type { RouteConfig } from '../../../config/schema/gateway.ts';
import { meshLimits, meshTables, unsayable } from '../kubernetes/mesh-limits.ts';
import { everyServer } from '../kubernetes/token-limits.ts';
import type { TargetLimits } from '../limits.ts';
import type { CannotSay } from '../plan.ts';

export const envoyGatewayLimits: TargetLimits = {
  tables: {
    ...meshTables,
    server: { ...meshTables.server, scope_claims: scopeClaimsRule },
    route: { ...meshTables.route, claims: claimsRule },
  },
  servers: everyServer,
  whole: meshLimits,
  hasOwnOrder: true,
};

/** Releases before 1.9 read only `scope`, which is narrower. */
function scopeClaimsRule(names: readonly string[]): CannotSay | undefined {
  return ['scope', 'scp'].every((name) => names.includes(name))
    ? undefined
    : unsayable('Envoy Gateway reads scopes from both `scope` and `scp`');
}

function claimsRule(claims: NonNullable<RouteConfig['claims']>): CannotSay | undefined {
  for (const [name, condition] of Object.entries(claims)) {
    if (name.includes('.')) return unsayable('the proxy reads a claim name with a dot as a path to a nested claim');
    const values: readonly unknown[] = Object.values(condition).flat();
    if (!values.every((value) => typeof value === 'string'))
      return unsayable('the proxy compares a claim only with strings');
    if (values.some((value) => /^(?:host|path)\./.test(value)))
      return unsayable('the proxy cannot compare a claim with a part of the host or the path');
  }
  return undefined;
}
