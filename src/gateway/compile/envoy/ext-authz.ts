import { headersThatDecide } from '../../../config/rules/looked-at.ts';
import { credentialPlacesOf } from '../../../config/schema/http-schemes.ts';
import { identityNames } from '../identity-names.ts';
import type { CompilePlan, PlannedRoute } from '../plan.ts';
import { type EnvoyPart, extension, typed } from './part.ts';

/** Asks Gatehouse at its decision endpoint about the routes that Envoy cannot judge. */

export const EXT_AUTHZ = 'envoy.filters.http.ext_authz';
export const GATEHOUSE_CLUSTER = 'gatehouse';
const PER_ROUTE = 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute';

/** What the gateway must know about every request. */
const ALWAYS = ['x-forwarded-for', 'x-forwarded-proto', 'x-request-id', 'origin', 'access-control-request-method'];
const ANSWER = ['www-authenticate', 'content-type', 'retry-after', 'allow', 'x-request-id', 'vary'];

export function hasAsked({ routes }: CompilePlan): boolean {
  return routes.some(({ judged }) => judged === 'asked');
}

/** Empty: Envoy judges every route itself. */
export function askingFilters(plan: CompilePlan): readonly EnvoyPart[] {
  return hasAsked(plan) ? [askingFilter(plan)] : [];
}

function askingFilter(plan: CompilePlan): EnvoyPart {
  const { host, port } = plan.config.decision ?? { host: '', port: 0 };
  return extension(EXT_AUTHZ, 'envoy.extensions.filters.http.ext_authz.v3.ExtAuthz', {
    transport_api_version: 'V3',
    failure_mode_allow: false,
    clear_route_cache: false,
    status_on_error: { code: 'ServiceUnavailable' },
    allowed_headers: { patterns: [...ALWAYS, 'max-forwards', ...readHeaders(plan)].map(exactName) },
    http_service: {
      server_uri: { uri: `http://${host}:${port}`, cluster: GATEHOUSE_CLUSTER, timeout: '2s' },
      path_prefix: '/envoy',
      authorization_response: {
        allowed_upstream_headers: { patterns: identityPatterns(plan) },
        allowed_client_headers: { patterns: [...ANSWER.map(exactName), { prefix: 'access-control-' }] },
      },
    },
  });
}

function exactName(exact: string): EnvoyPart {
  return { exact };
}

function readHeaders({ routes }: CompilePlan): readonly string[] {
  const read = routes.filter(({ judged }) => judged === 'asked').flatMap(headersOf);
  return [...new Set(read)].sort();
}

/** Headers that a rule of the route reads, apart from those that Gatehouse always needs. */
export function headersOf({ config }: PlannedRoute): readonly string[] {
  const decisive = headersThatDecide(config);
  const placed = credentialPlacesOf(config).filter((place) => place.in === 'header');
  const names = [...(decisive === 'any' ? [] : decisive), ...placed.map(({ name }) => name)];
  return [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => !ALWAYS.includes(name));
}

function identityPatterns({ routes }: CompilePlan): readonly EnvoyPart[] {
  const asked = routes.filter(({ judged }) => judged === 'asked');
  const { prefixes, names } = identityNames(asked.map(({ identity }) => identity));
  return [...prefixes.map((prefix) => ({ prefix })), ...names.map(exactName)];
}

export function askingOfRoute(): EnvoyPart {
  return typed(PER_ROUTE, { check_settings: {} });
}

export function askingOff(): EnvoyPart {
  return typed(PER_ROUTE, { disabled: true });
}
