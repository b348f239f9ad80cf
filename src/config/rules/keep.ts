import type { RouteFile } from '../schema/gateway.ts';
import { defaultId } from '../validate/complete.ts';
import { parsePathPattern } from '../words/path-pattern.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import { shareHost, shareMethod } from './route-shape.ts';
import type { GatewaySubject } from './subject.ts';
import { isWeaker, type TokenRules } from './weaker.ts';

type Route = Member<RouteFile>;

/** Rules for paths that stay in a spelling which an upstream may read as another path. */
export const keepChecks: Checks<GatewaySubject> = {
  'kept spelling in a route that covers a stricter route': ({ routes, around, tokenRules }) => {
    const opens = routes.filter(({ value }) => keptBy(value).length > 0);
    const befores = opens.map((open) => openBefore(open));
    const guards = guardsOf(routes, new Set(befores));
    return opens.flatMap((open, index): Finding[] => {
      const guarded = guards.get(befores[index])?.find((guard) => isLedPast(open, guard, tokenRules));
      if (guarded === undefined) return [];
      const kept = keptBy(open.value);
      const effects = kept.map(([, effect]) => effect).join(' or ');
      const name = guarded.value.id ?? defaultId(guarded.value);
      return kept.slice(0, 1).map(([key]) => ({
        pointer: [...open.at, key],
        severity: 'warning',
        message: `if the upstream ${effects}, requests can bypass \`${name}\` (${around.cite(guarded.at)})`,
        hint: 'add a literal segment to this path, for example `/api/files/{rest*}`, so that it covers no stricter route; or remove `keep`',
      }));
    });
  },
};

/** Each setting, with what an upstream may do to a path that keeps this spelling. */
const spellings = [
  ['encoded_slashes', 'decodes `%2f`'],
  ['path_parameters', 'ignores the text after `;`'],
] as const;

function keptBy(value: RouteFile) {
  return spellings.filter(([key]) => value[key] === 'keep');
}

/** A public route is open to every method, because an upstream may treat one method as another. */
function isLedPast({ value: open }: Route, { value: guard }: Route, rules: TokenRules): boolean {
  if (!isWeaker(open, guard, rules)) return false;
  return open.access === 'public' || (shareMethod(open, guard) && shareHost(open, guard));
}

/** The literals at the start of the path of a route with `keep`. Undefined: nothing follows them. */
function openBefore({ value }: Route): string | undefined {
  const { texts, whole } = leadingLiterals(value);
  return whole ? undefined : texts.map((text) => `/${text}`).join('');
}

/**
 * The protected routes with one more literal at this place. If an open pattern has a name or a rest at the same place,
 * requests could bypass them.
 */
function guardsOf(
  routes: readonly Route[],
  wanted: ReadonlySet<string | undefined>,
): ReadonlyMap<string | undefined, readonly Route[]> {
  const guards = new Map<string | undefined, Route[]>([...wanted].map((before) => [before, []]));
  if (wanted.size === 0) return guards;
  for (const route of routes.filter(({ value }) => value.access !== 'public')) {
    let before = '';
    for (const text of leadingLiterals(route.value).texts) {
      guards.get(before)?.push(route);
      before += `/${text}`;
    }
  }
  return guards;
}

function leadingLiterals({ match }: RouteFile): { texts: readonly string[]; whole: boolean } {
  const pattern = parsePathPattern(match.path);
  if (pattern.kind === 'fault') return { texts: [], whole: true };
  const texts: string[] = [];
  for (const segment of pattern.segments) {
    if (segment.kind !== 'literal') return { texts, whole: false };
    texts.push(segment.decoded);
  }
  return { texts, whole: true };
}
