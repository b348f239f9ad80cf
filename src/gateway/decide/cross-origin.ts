import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { type BrowserFields, browserFields } from '../mcp/browser-fields.ts';
import { type RequestHead, valuesOf } from '../message/request-head.ts';
import { cut } from './page-origins.ts';

type CorsConfig = NonNullable<GatewayConfig['cors']>;

/** The server's side of CORS (Fetch standard): which pages of other origins may send requests and read answers. */
export interface CrossOrigin {
  /** Header lines for every answer to this request: name, value, … */
  answer(head: RequestHead): readonly string[];
  /** Header lines that a preflight adds. `methods`: the methods of the routes. */
  preflight(head: RequestHead, methods: Iterable<string>): readonly string[];
  /** Why a browser will not send the request that this preflight announces. Undefined: the browser will send it. */
  blocked(head: RequestHead, methods: ReadonlySet<string>): string | undefined;
}

const VARY = ['vary', 'Origin'] as const;

type Configured = Pick<GatewayConfig, 'cors' | 'routes'> & { readonly request_id: { readonly header: string } };

/** `cors`, with the fields of the protocol if there is an `mcp` route. */
export function crossOriginOf({ cors, request_id, routes }: Configured): CrossOrigin | undefined {
  return crossOrigin(cors, request_id.header, browserFields(routes));
}

const NO_FIELDS: BrowserFields = { sent: [], read: [] };

export function crossOrigin(
  given: CorsConfig | undefined,
  requestIdHeader: string,
  { sent, read } = NO_FIELDS,
): CrossOrigin | undefined {
  if (given === undefined) return undefined;
  const config = { ...given, headers: withoutRepeats([...given.headers, ...sent]) };
  const origins = new Set(config.origins.map((origin) => origin.toLowerCase()));
  const exposed = ['WWW-Authenticate', 'Retry-After', requestIdHeader, ...read].join(', ');
  const allowed = (head: RequestHead) => {
    const origin = head.webOrigin?.lines === 1 ? head.webOrigin.value : undefined;
    return origin !== undefined && (origins.has('*') || origins.has(origin.toLowerCase())) ? origin : undefined;
  };
  const credentials = config.credentials ? ['access-control-allow-credentials', 'true'] : [];
  return {
    answer(head) {
      const origin = allowed(head);
      if (origin === undefined) return VARY;
      return [...VARY, 'access-control-allow-origin', origin, ...credentials, 'access-control-expose-headers', exposed];
    },
    preflight(head, methods) {
      if (allowed(head) === undefined) return [];
      return [
        'access-control-allow-methods',
        [...methods].sort().join(', '),
        'access-control-allow-headers',
        config.headers.join(', '),
        'access-control-max-age',
        String(Math.floor(config.max_age / 1000)),
      ];
    },
    blocked(head, methods) {
      if (allowed(head) === undefined) return `the origin ${cut(head.webOrigin?.value)} is not in \`cors.origins\``;
      const method = head.requestedMethod?.value ?? '';
      if (!SAFE_METHODS.has(method) && !methods.has(method))
        return `no route for this path accepts the method ${cut(method)}`;
      const missing = missingHeaders(head, config);
      return missing.length === 0 ? undefined : `\`cors.headers\` does not list ${cut(missing.join(', '))}`;
    },
  };
}

/** The first spelling of each name stays. */
function withoutRepeats(names: readonly string[]): readonly string[] {
  const lower = names.map((name) => name.toLowerCase());
  return names.filter((_, index) => lower.indexOf(lower[index] ?? '') === index);
}

/** Fetch, CORS-safelisted methods: browsers send them, whatever a preflight allows. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/**
 * Fetch, CORS-preflight fetch, step 7: `*` means every name except Authorization, and means nothing with credentials.
 */
function missingHeaders(
  head: RequestHead,
  { headers, credentials }: Pick<CorsConfig, 'credentials'> & { readonly headers: readonly string[] },
): readonly string[] {
  const lines = valuesOf(head, 'access-control-request-headers');
  const asked = lines.flatMap((line) => line.split(',')).map((name) => name.trim());
  const listed = new Set(headers.map((name) => name.toLowerCase()));
  const isAny = listed.has('*') && !credentials;
  const isListed = (name: string) =>
    listed.has(name.toLowerCase()) || (isAny && name.toLowerCase() !== 'authorization');
  return asked.filter((name) => name !== '' && !isListed(name));
}
