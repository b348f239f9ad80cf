import { resolve } from 'node:path';
import type { CompilePlan } from '../plan.ts';
import { corsFilters, corsOfHost, varyByOrigin } from './cross-origin.ts';
import { askingFilters } from './ext-authz.ts';
import { ACCESS, CREDENTIAL, closedFilter, guardFilter } from './guards.ts';
import { durationText, type EnvoyPart, extension, typed } from './part.ts';
import { jwtFilter, type TokenProviders } from './providers.ts';
import { removedHeaders } from './removed-headers.ts';
import { localReplies, overwriting } from './replies.ts';

const MANAGER = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

export function listenerPart(plan: CompilePlan, providers: TokenProviders, routes: readonly EnvoyPart[]): EnvoyPart {
  const { listen } = plan.config;
  const manager = extension(
    'envoy.filters.network.http_connection_manager',
    MANAGER,
    managerPart(plan, providers, routes),
  );
  return {
    name: 'gatehouse',
    address: { socket_address: { address: listen.host, port_value: listen.port } },
    filter_chains: [{ filters: [manager], ...(listen.tls && { transport_socket: tlsPart(plan) }) }],
  };
}

/** Characters of a token that the gateway reads at most. */
const LONGEST_TOKEN = 16 * 1024;

/**
 * Envoy changes no path before the guard reads it. A name with `_` is refused, because servers behind CGI-like interfaces
 * read it as `-`.
 */
function managerPart(plan: CompilePlan, providers: TokenProviders, routes: readonly EnvoyPart[]): EnvoyPart {
  const { limits } = plan.config;
  return {
    stat_prefix: 'gatehouse',
    use_remote_address: true,
    internal_address_config: { cidr_ranges: [] },
    normalize_path: false,
    merge_slashes: false,
    path_with_escaped_slashes_action: 'KEEP_UNCHANGED',
    http_protocol_options: { allow_absolute_url: false },
    common_http_protocol_options: {
      headers_with_underscores_action: 'REJECT_REQUEST',
      max_headers_count: limits.header_count,
      idle_timeout: durationText(limits.idle),
    },
    max_request_headers_kb: Math.max(1, Math.floor(Math.min(limits.header_size, LONGEST_TOKEN) / 1024)),
    request_headers_timeout: durationText(limits.headers_timeout),
    stream_idle_timeout: durationText(limits.idle),
    upgrade_configs: [{ upgrade_type: 'websocket' }],
    early_header_mutation_extensions: [removedHeaders(plan)],
    local_reply_config: localReplies(plan.config),
    http_filters: [
      ...corsFilters(plan),
      guardFilter(plan),
      closedFilter(CREDENTIAL),
      jwtFilter(providers, plan),
      // After jwt_authn, which removes the headers of its claims on every route.
      ...askingFilters(plan),
      closedFilter(ACCESS),
      extension('envoy.filters.http.router', 'envoy.extensions.filters.http.router.v3.Router'),
    ],
    route_config: { name: 'gatehouse', ...ownHeaders(plan), virtual_hosts: [virtualHost(plan, routes)] },
  };
}

function ownHeaders({ config }: CompilePlan): EnvoyPart {
  const { header } = config.request_id;
  const value = '%REQ(X-REQUEST-ID)%';
  const added = overwriting(header, value);
  const response_headers_to_add = [added, ...varyByOrigin(config)];
  return { response_headers_to_add, ...(isUsual(header) ? {} : { request_headers_to_add: [added] }) };
}

function isUsual(header: string): boolean {
  return header.toLowerCase() === 'x-request-id';
}

/** Hosts are conditions of the routes, so one virtual host has all of them in one order. */
function virtualHost(plan: CompilePlan, routes: readonly EnvoyPart[]): EnvoyPart {
  return { name: 'gatehouse', domains: ['*'], routes, ...corsOfHost(plan) };
}

function tlsPart({ config, directory }: CompilePlan): EnvoyPart {
  const { tls, http2 } = config.listen;
  const file = (filename = '') => ({ filename: resolve(directory, filename) });
  const context = {
    common_tls_context: {
      alpn_protocols: http2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      tls_params: { tls_minimum_protocol_version: 'TLSv1_2' },
      tls_certificates: [{ certificate_chain: file(tls?.cert), private_key: file(tls?.key) }],
    },
  };
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: typed('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', context),
  };
}
