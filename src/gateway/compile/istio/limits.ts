import { alternativeTexts } from '../../message/scope-requirement.ts';
import { meshLimits, meshTables, unsayable } from '../kubernetes/mesh-limits.ts';
import { everyServer } from '../kubernetes/token-limits.ts';
import { type Concerning, type LimitedFile, ofRoute, type TargetLimits } from '../limits.ts';

const ONE_FOR_ALL = 'one RequestAuthentication sets the headers of all routes, so one route cannot differ';
const WILDCARD = 'Istio reads `*` at the start or the end of a value as a wildcard';

export const istioLimits: TargetLimits = {
  tables: {
    ...meshTables,
    server: {
      ...meshTables.server,
      audience: (audience) => (isWild(audience) ? unsayable(WILDCARD) : undefined),
      required_claims: (claims) =>
        Object.keys(claims).length === 0
          ? undefined
          : unsayable(
              'the gateway requires a string with this value, but Istio also accepts a list that contains the value',
            ),
    },
    route: {
      ...meshTables.route,
      claims: () =>
        unsayable('the gateway distinguishes a value from a list that contains the value, but Istio accepts both'),
      audience: (audience) => (isWild(audience) ? unsayable(WILDCARD) : undefined),
      identity_headers: () => unsayable(ONE_FOR_ALL),
      forward_credential: (forwards) => (forwards ? unsayable(ONE_FOR_ALL) : undefined),
    },
  },
  servers: everyServer,
  whole: (file) => [...meshLimits(file), ...scopeLimits(file)],
  hasOwnOrder: true,
};

function isWild(text: string): boolean {
  return text.startsWith('*') || text.endsWith('*');
}

function scopeLimits({ routes }: LimitedFile): readonly Concerning[] {
  return routes.flatMap((route, index) => {
    const scopes = route.scope === undefined ? [] : alternativeTexts(route.scope).flatMap((text) => text.split(' '));
    const implying = [...(route.scope?.impliers?.values() ?? [])].flat();
    return [...scopes, ...implying].some(isWild)
      ? [ofRoute(route, ['routes', index, 'scope'], unsayable(WILDCARD))]
      : [];
  });
}
