import type { Route } from '../decide/route.ts';

/** Origins that all routes in question treat alike. */
export interface OriginSample {
  readonly origin: string;
  readonly label: string;
}

const OTHER: OriginSample = { origin: 'https://other.invalid', label: '(any other)' };

/** One origin for each group of origins that the same routes accept, and one that no route lists. Empty: no route has a list. */
export function originSamples(routes: readonly Pick<Route, 'origins'>[]): readonly OriginSample[] {
  const lists = routes.flatMap(({ origins }) => (origins === undefined ? [] : [origins]));
  if (lists.length === 0) return [];
  const listed = [...new Set(lists.flatMap((list) => [...list]))];
  const groups = Map.groupBy(listed, (origin) => lists.map((list) => Number(list.has(origin))).join(''));
  return [...[...groups.values()].map(sampleOf), OTHER];
}

function sampleOf(group: readonly string[]): OriginSample {
  return { origin: group[0] as string, label: group.join(' or ') };
}
