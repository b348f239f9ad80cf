import type { GatewayConfig } from '../../config/gateway.ts';
import type { RequestHead } from '../request-head.ts';

type CorsConfig = NonNullable<GatewayConfig['cors']>;

/** The Fetch standard's CORS protocol, from the server's side: which pages of other origins may call and read. */
export interface CrossOrigin {
  /** Header lines for every answer to this request: name, value, … */
  answer(head: RequestHead): readonly string[];
  /** Header lines that a preflight adds; `methods` are those of the routes. */
  preflight(head: RequestHead, methods: Iterable<string>): readonly string[];
}

const VARY = ['vary', 'Origin'] as const;

export function crossOrigin(config: CorsConfig | undefined, requestIdHeader: string): CrossOrigin | undefined {
  if (config === undefined) return undefined;
  const origins = new Set(config.origins.map((origin) => origin.toLowerCase()));
  const exposed = ['WWW-Authenticate', 'Retry-After', requestIdHeader].join(', ');
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
  };
}

/** A browser asks before it sends (Fetch, CORS-preflight request). Every other OPTIONS is an ordinary method. */
export function isPreflight({ method, webOrigin, requestedMethod }: RequestHead): boolean {
  return method === 'OPTIONS' && webOrigin !== undefined && requestedMethod !== undefined;
}
