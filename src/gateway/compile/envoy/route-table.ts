import { ANSWER_TIMES } from '../../../config/words/answer-times.ts';
import type { HostPattern } from '../../../config/words/host-pattern.ts';
import { caseless, pathPattern, quotedPattern } from '../path-text.ts';
import type { CompilePlan, PlanEntry, PlannedDocument, PlannedRoute } from '../plan.ts';
import { accessPolicies } from './access.ts';
import { type OwnEntry, preflightHeaders, withPages } from './cross-origin.ts';
import { askingOff, askingOfRoute, EXT_AUTHZ, hasAsked, headersOf } from './ext-authz.ts';
import {
  ACCESS,
  ANY_PORT,
  CREDENTIAL,
  credentialPolicies,
  rulesOfRoute,
  singleLinePolicies,
  withoutRules,
} from './guards.ts';
import { durationText, type EnvoyPart, matchingRegex } from './part.ts';
import { JWT_FILTER } from './principals.ts';
import { jwtOfRoute, type TokenProviders } from './providers.ts';
import { overwriting, problemReply } from './replies.ts';

/** An entry of the table, and where it comes from. */
export interface CommentedPart {
  readonly comment: string;
  readonly part: EnvoyPart;
}

/** The first entry that matches decides. A request without an entry gets 404. */
export function routeTable(plan: CompilePlan, providers: TokenProviders): readonly CommentedPart[] {
  return [
    ...ownAnswers(plan),
    ...plan.documents.flatMap((document) => documentEntries(document, plan)),
    ...plan.entries.flatMap((entry) => tableEntries(entry, plan, providers)),
    ...readable('no route', { name: 'no_route', match: { prefix: '/' }, ...problemReply(404, NO_ROUTE) }, plan),
  ].map(({ comment, part }) => ({ comment, part: withFilters(part, plan) }));
}

const NO_ROUTE = 'No route matches this request.';
const NO_METHOD = 'The route does not accept this method.';

/** Filters that judge a route are off for an entry that only answers. */
function withFilters(part: EnvoyPart, plan: CompilePlan): EnvoyPart {
  const off = {
    [CREDENTIAL]: withoutRules(),
    [JWT_FILTER]: { '@type': PER_ROUTE_JWT, disabled: true },
    [ACCESS]: withoutRules(),
    ...(hasAsked(plan) && { [EXT_AUTHZ]: askingOff() }),
  };
  return { ...part, typed_per_filter_config: { ...off, ...(part.typed_per_filter_config as EnvoyPart | undefined) } };
}

const PER_ROUTE_JWT = 'type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.PerRouteConfig';

/** Entries of one answer of Envoy itself, which pages of the origins in `cors` may read. */
function readable(
  comment: string,
  entry: OwnEntry,
  { config }: CompilePlan,
  more?: readonly EnvoyPart[],
): readonly CommentedPart[] {
  return withPages(entry, config, more).map((part) => ({ comment, part }));
}

/** The gateway answers these requests itself, whatever the routes say. */
function ownAnswers(plan: CompilePlan): readonly CommentedPart[] {
  const options = { name: ':method', string_match: { exact: 'OPTIONS' } };
  const entry = (name: string, headers: readonly EnvoyPart[]) => ({
    name,
    match: { prefix: '/', headers: [options, ...headers] },
    direct_response: { status: 204 },
  });
  const preflight = ['origin', 'access-control-request-method'].map((name) => ({ name, present_match: true }));
  const last = { name: 'max-forwards', string_match: matchingRegex('(?:.*,)?[ \\t]*0+[ \\t]*(?:,.*)?') };
  const added = preflightHeaders(plan);
  return [
    ...readable('preflights (Fetch standard, CORS)', entry('preflight', preflight), plan, added),
    ...readable('RFC 9110 §7.6.2', entry('last_hop', [last]), plan),
  ];
}

function documentEntries({ host, path, body }: PlannedDocument, plan: CompilePlan): readonly CommentedPart[] {
  const method = { name: ':method', string_match: matchingRegex('GET|HEAD') };
  const part = {
    name: `document ${path}`,
    match: { path, headers: [...hostMatchers(host), method] },
    direct_response: { status: 200, body: { inline_string: body } },
    response_headers_to_add: [
      overwriting('content-type', 'application/json'),
      overwriting('cache-control', 'public, max-age=300'),
    ],
  };
  return readable('RFC 9728: the metadata of the protected resource', part, plan);
}

function tableEntries(entry: PlanEntry, plan: CompilePlan, providers: TokenProviders): readonly CommentedPart[] {
  const { route } = entry;
  if (entry.kind === 'route') return kinds[route.judged](route, plan, providers);
  const allow = overwriting('allow', entry.allow.join(', '));
  const part = { name: `${route.id} method`, match: matchOf(route, false), ...problemReply(405, NO_METHOD, [allow]) };
  return readable(`${route.at}: another method`, part, plan);
}

type EntryOf = (route: PlannedRoute, plan: CompilePlan, providers: TokenProviders) => readonly CommentedPart[];

const kinds: Readonly<Record<PlannedRoute['judged'], EntryOf>> = {
  here: (route, _, providers) => [
    {
      comment: `${route.at}: ${route.id}`,
      part: {
        name: route.id,
        match: matchOf(route),
        route: actionOf(route),
        typed_per_filter_config: {
          [CREDENTIAL]: rulesOfRoute(credentialPolicies(route)),
          [JWT_FILTER]: jwtOfRoute(route),
          [ACCESS]: rulesOfRoute(accessPolicies(route, providers.of(route))),
        },
      },
    },
  ],
  asked: (route) => [
    {
      comment: `${route.at}: ${route.id}, which Gatehouse judges`,
      part: {
        name: route.id,
        match: matchOf(route),
        route: actionOf(route),
        typed_per_filter_config: {
          [CREDENTIAL]: rulesOfRoute(singleLinePolicies(headersOf(route))),
          [EXT_AUTHZ]: askingOfRoute(),
        },
      },
    },
  ],
  omitted: (route, plan) => {
    const part = { name: route.id, match: matchOf(route), ...problemReply(404, NO_ROUTE) };
    return readable(`${route.at}: ${route.id}, which is left out`, part, plan);
  },
};

function matchOf({ host, segments, caseSensitive, methods }: PlannedRoute, withMethods = true) {
  const listed = methods === undefined || !withMethods ? [] : [methodMatcher(methods)];
  return {
    safe_regex: { regex: pathPattern(segments, caseSensitive) },
    headers: [...hostMatchers(host), ...listed],
  };
}

function methodMatcher(methods: readonly string[]): EnvoyPart {
  return { name: ':method', string_match: matchingRegex(methods.map(quotedPattern).join('|')) };
}

/** The host in either case, with any port (RFC 9110 §4.2.3). A name in a pattern is one label. */
function hostMatchers(host: HostPattern | undefined): readonly EnvoyPart[] {
  if (host === undefined) return [];
  const labels = host.labels.map((label) => (label.kind === 'one' ? '[^.:]+' : [...label.text].map(caseless).join('')));
  return [{ name: ':authority', string_match: matchingRegex(`${labels.join('\\.')}${ANY_PORT}`) }];
}

/** Envoy has no limit for the first byte alone, so its limit for a pause is the longer one of both. */
function actionOf({ config, upstream, upstreamConfig }: PlannedRoute): EnvoyPart {
  const { timeout, host, urls, retries } = upstreamConfig;
  const response = config.timeout?.response ?? timeout.response ?? ANSWER_TIMES.response;
  const idle = config.timeout?.idle ?? timeout.idle ?? ANSWER_TIMES.idle;
  const sent = host === 'upstream' ? new URL(urls[0] ?? '').host : host;
  return {
    cluster: upstreamCluster(upstream),
    timeout: '0s',
    idle_timeout: idle === 'none' ? '0s' : durationText(Math.max(idle, response)),
    ...(host !== 'preserve' && { host_rewrite_literal: sent }),
    ...(retries > 0 && { retry_policy: { retry_on: 'connect-failure', num_retries: retries } }),
  };
}

export function upstreamCluster(name: string): string {
  return `upstream_${name}`;
}
