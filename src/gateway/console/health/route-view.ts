import type { Route } from '../../decide/route.ts';
import { entry, isCode } from '../../message/codes.ts';
import { alternativeTexts } from '../../message/scope-requirement.ts';
import { compareSpecificity, hostText, pathText } from '../../routing/specificity.ts';
import type { HealthHistory } from './history.ts';
import { type Measures, sumOf } from './measures.ts';

/** A route with its requests since the start. */
export interface RouteView {
  readonly id: string;
  readonly at: string | undefined;
  readonly host: string | undefined;
  readonly path: string;
  readonly methods: readonly string[] | undefined;
  readonly access: Route['access'];
  readonly shadow: boolean;
  readonly scope: readonly string[] | undefined;
  readonly upstream: string;
  readonly requests: number;
  /** Requests that an outage or a failure of the gateway ended. */
  readonly failed: number;
  /** Most frequent first. */
  readonly refused: readonly { readonly code: string; readonly reason: string; readonly count: number }[];
  /** Milliseconds since the epoch. Undefined: no request since someone began to look. */
  readonly last_hit: number | undefined;
}

/** In the order of matching: the most specific first. */
export function routesIn(
  routes: readonly Route[],
  measures: Measures,
  history: Pick<HealthHistory, 'lastHit'>,
): readonly RouteView[] {
  const counts = Map.groupBy(measures.all('gatehouse_requests_total'), ({ labels }) => String(labels.route));
  return routes.toSorted(compareSpecificity).map((route) => ({
    id: route.id,
    at: route.at,
    host: route.host && hostText(route.host),
    path: pathText(route),
    methods: route.methods && [...route.methods],
    access: route.access,
    shadow: route.shadow,
    scope: route.requirements.scope && alternativeTexts(route.requirements.scope),
    upstream: route.upstream.name,
    ...countsOf(counts.get(route.id) ?? []),
    last_hit: history.lastHit(route.id),
  }));
}

function countsOf(values: ReturnType<Measures['all']>): Pick<RouteView, 'requests' | 'refused' | 'failed'> {
  const refused = new Map<string, { code: string; reason: string; count: number }>();
  for (const { labels, value } of values) {
    const { code, reason } = { code: String(labels.code), reason: String(labels.reason) };
    if (!isCode(code) || isFailure(code)) continue;
    const known = refused.get(`${code} ${reason}`) ?? { code, reason, count: 0 };
    known.count += value;
    refused.set(`${code} ${reason}`, known);
  }
  return {
    requests: sumOf(values),
    failed: sumOf(values.filter(({ labels }) => isFailure(String(labels.code)))),
    refused: [...refused.values()].sort((one, other) => other.count - one.count),
  };
}

/** An outage is not a refusal. */
function isFailure(code: string): boolean {
  return isCode(code) && entry(code).status >= 500;
}
