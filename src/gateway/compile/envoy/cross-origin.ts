import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import { caseless } from '../path-text.ts';
import type { CompilePlan } from '../plan.ts';
import { type EnvoyPart, extension, matchingRegex, typed } from './part.ts';
import { overwriting } from './replies.ts';

/** `cors` of the file (Fetch standard). The gateway's own words are in `decide/cross-origin.ts`. */

const CORS = 'envoy.filters.http.cors';

export function corsFilters({ config }: CompilePlan): readonly EnvoyPart[] {
  return config.cors === undefined ? [] : [extension(CORS, 'envoy.extensions.filters.http.cors.v3.Cors')];
}

/** For answers of upstreams and of filters. The filter judges no entry of the table that answers itself. */
export function corsOfHost({ config }: CompilePlan): EnvoyPart {
  const { cors } = config;
  if (cors === undefined) return {};
  const policy = {
    allow_origin_string_match: [matchingRegex(originsPattern(cors.origins))],
    expose_headers: exposed(config),
    allow_credentials: cors.credentials,
  };
  return { typed_per_filter_config: { [CORS]: typed('envoy.extensions.filters.http.cors.v3.CorsPolicy', policy) } };
}

/** An answer of any route depends on the page, so a shared cache must keep one for each (Fetch, "CORS and caching"). */
export function varyByOrigin({ cors }: GatewayConfig): readonly EnvoyPart[] {
  const header = { key: 'vary', value: 'Origin' };
  return cors === undefined ? [] : [{ header, append_action: 'APPEND_IF_EXISTS_OR_ADD' }];
}

/** An entry of the table that answers itself. Its name is unique. */
export type OwnEntry = EnvoyPart & {
  readonly name: string;
  readonly match: EnvoyPart & { readonly headers?: readonly EnvoyPart[] };
  readonly response_headers_to_add?: readonly EnvoyPart[];
};

/** The entry for pages of the origins, then for everyone else. `more`: headers that only pages get. */
export function withPages(
  entry: OwnEntry,
  config: GatewayConfig,
  more: readonly EnvoyPart[] = [],
): readonly EnvoyPart[] {
  const { cors } = config;
  if (cors === undefined) return [entry];
  const origin = { name: 'origin', string_match: matchingRegex(originsPattern(cors.origins)) };
  const readable = [
    overwriting('access-control-allow-origin', '%REQ(ORIGIN)%'),
    overwriting('access-control-expose-headers', exposed(config)),
    ...(cors.credentials ? [overwriting('access-control-allow-credentials', 'true')] : []),
  ];
  const forPages = {
    ...entry,
    name: `${entry.name} for pages`,
    match: { ...entry.match, headers: [...(entry.match.headers ?? []), origin] },
    response_headers_to_add: [...(entry.response_headers_to_add ?? []), ...readable, ...more],
  };
  return [forPages, entry];
}

/** The headers that the answer to a page's preflight adds. */
export function preflightHeaders({ config, routes }: CompilePlan): readonly EnvoyPart[] {
  const { cors } = config;
  if (cors === undefined) return [];
  return [
    overwriting('access-control-allow-methods', methodsOf(routes).join(', ')),
    overwriting('access-control-allow-headers', cors.headers.join(', ')),
    overwriting('access-control-max-age', String(Math.floor(cors.max_age / 1000))),
  ];
}

/** One line. Two lines of Origin are joined by a comma, and count for no page. */
function originsPattern(origins: readonly string[]): string {
  return origins.map((origin) => (origin === '*' ? '[^,]+' : [...origin].map(caseless).join(''))).join('|');
}

function exposed({ request_id }: GatewayConfig): string {
  return ['WWW-Authenticate', 'Retry-After', request_id.header].join(', ');
}

/** For a route that accepts every method. */
const ANY = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

function methodsOf(routes: CompilePlan['routes']): readonly string[] {
  return [...new Set(routes.flatMap(({ methods }) => methods ?? ANY))].sort();
}
