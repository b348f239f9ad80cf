import type { RouteConfig } from '../../../config/schema/gateway.ts';
import { type Concerning, type LimitedFile, ofRoute, type TargetTables } from '../limits.ts';
import type { CannotSay } from '../plan.ts';
import { notAlone } from './alone.ts';
import { routingLimits, sharedTables } from './shared-limits.ts';
import { tokenTable } from './token-limits.ts';

/** Limits of a mesh that judges some routes itself. */

const ASK = 'leave the route to Gatehouse with `--on-unsupported ask`';

export function unsayable(why: string, remedy = ASK): CannotSay {
  return { why, remedy };
}

export const meshTables: Partial<TargetTables> = {
  ...sharedTables,
  server: {
    ...tokenTable,
    scope_claims: (claims) =>
      claims.includes('scope') ? undefined : unsayable('the proxy reads scopes only from the claim `scope`'),
    required_claims: (claims) =>
      Object.keys(claims).some((name) => name.includes('.'))
        ? unsayable('the proxy reads a claim name with a dot as a path to a nested claim')
        : undefined,
  },
  route: { ...sharedTables.route, access: accessRule },
};

function accessRule(access: NonNullable<RouteConfig['access']>): CannotSay | undefined {
  if (access !== 'optional') return undefined;
  return unsayable(
    'on a route with an optional token, the gateway removes credentials of another kind, and the proxy forwards them',
  );
}

export function meshLimits(file: LimitedFile): readonly Concerning[] {
  const alone = file.routes.flatMap((route, index) => {
    const why = notAlone(route, file.routes);
    return why === undefined ? [] : [ofRoute(route, ['routes', index, 'match', 'path'], unsayable(why))];
  });
  return [...routingLimits(file), ...alone];
}
