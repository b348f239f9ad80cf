import { certificateHeaders } from '../../../config/words/certificate-headers.ts';
import { fold } from '../../../config/words/fold-name.ts';
import { overrideHeaders } from '../../../config/words/override-headers.ts';
import { identityNames } from '../identity-names.ts';
import type { CompilePlan } from '../plan.ts';
import { type EnvoyPart, extension, matchingRegex } from './part.ts';

/** Fields of a hop that Envoy leaves, and fields that only a proxy may send. */
const OF_PROXIES = ['proxy-authorization', 'proxy-authenticate', 'proxy-connection', 'http2-settings', 'x-real-ip'];

/** Fields that forward an address or a host, and fields that control Envoy itself. */
const PREFIXES = ['x-forwarded-', 'x-envoy-'];

/**
 * The client's headers that could pass for headers of the proxy or of Gatehouse, in every spelling. They go before any
 * other step, on every route. Names with `_` are refused as a whole.
 */
export function removedHeaders(plan: CompilePlan): EnvoyPart {
  const mutations = patternsOf(plan).map((regex) => ({ remove_on_match: { key_matcher: matchingRegex(regex) } }));
  return extension(
    'envoy.http.early_header_mutation.header_mutation',
    'envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation',
    { mutations },
  );
}

function patternsOf({ config, routes }: CompilePlan): readonly string[] {
  const identity = identityNames([config.defaults.identity_headers, ...routes.map(({ identity }) => identity)]);
  const names = [...identity.names, config.request_id.header, 'x-request-id'];
  const prefixes = [...identity.prefixes, ...PREFIXES];
  const patterns = [
    ...[...names, ...OF_PROXIES, ...overrideHeaders, 'forwarded', 'x-forwarded'].map(spellings),
    ...certificateHeaders.map((name) => `${spellings(name)}(?:[^a-z0-9].*)?`),
    ...prefixes.map((prefix) => `${spellings(prefix)}.*`),
  ];
  return [...new Set(patterns)].sort();
}

/** Servers behind CGI-like interfaces read every character that is no letter or digit as the same one (RFC 3875 §4.1.18). */
function spellings(name: string): string {
  return fold(name).replaceAll('-', '[^a-z0-9]');
}
