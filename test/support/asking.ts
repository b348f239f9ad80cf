import { ask } from './raw-client.ts';
import type { RawResponse } from './raw-response.ts';
import { requestText } from './request-text.ts';

type Fields = readonly (readonly [name: string, value: string])[];

/** A request as a client sent it to a proxy. */
export interface Received {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly scheme?: 'http' | 'https';
  readonly address?: string;
  readonly headers?: Fields;
}

/** What one kind of proxy sends to the decision endpoint about the request. */
export type Shape = (received: Received) => Buffer;

const filled = (received: Received) => ({
  method: 'GET',
  target: '/orders/1',
  host: 'api.example.com',
  scheme: 'https',
  address: '192.0.2.7',
  headers: [],
  ...received,
});

/** With the `proxy_set_header` lines of the cookbook. nginx forwards the other headers. */
export const asNginx: Shape = (received) => {
  const { method, target, host, scheme, address, headers } = filled(received);
  const own: Fields = [
    ['X-Original-Method', method],
    ['X-Original-URL', `${scheme}://${host}${target}`],
    ['X-Forwarded-For', address],
    ['X-Request-Id', 'f00dfeed'],
  ];
  return requestText({ target: '/nginx', host: 'gatehouse', headers: [...own, ...headers] });
};

/** The form in the nginx manual: only the target, and Host. */
export const asNginxUri: Shape = (received) => {
  const { method, target, host, scheme, address, headers } = filled(received);
  const own: Fields = [
    ['X-Original-Method', method],
    ['X-Original-URI', target],
    ['X-Forwarded-Proto', scheme],
    ['X-Forwarded-For', address],
  ];
  return requestText({ target: '/nginx/uri', host, headers: [...own, ...headers] });
};

/** Like ForwardAuth of Traefik 3 (pkg/middlewares/auth/forward.go): GET, without a body, with the client's headers. */
export const asTraefik: Shape = (received) => {
  const { method, target, host, scheme, address, headers } = filled(received);
  const own: Fields = [
    ['User-Agent', 'Go-http-client/1.1'],
    ['X-Forwarded-For', address],
    ['X-Forwarded-Host', host],
    ['X-Forwarded-Method', method],
    ['X-Forwarded-Port', scheme === 'https' ? '443' : '80'],
    ['X-Forwarded-Proto', scheme],
    ['X-Forwarded-Server', 'traefik'],
    ['X-Forwarded-Uri', target],
    ['X-Real-Ip', address],
    ['Accept-Encoding', 'gzip'],
  ];
  return requestText({ target: '/forward-auth', host: '127.0.0.1:8082', headers: [...own, ...headers] });
};

/**
 * Like the HTTP service of Envoy's ext_authz with the cookbook's `path_prefix` and `allowed_headers`: the request line
 * itself, no body, and Envoy's own address after the client's.
 */
export const asEnvoy: Shape = (received) => {
  const { method, target, host, scheme, address, headers } = filled(received);
  const own: Fields = [
    ['content-length', '0'],
    ['x-forwarded-proto', scheme],
    ['x-envoy-internal', 'true'],
    ['x-forwarded-for', `${address}, 127.0.0.1`],
    ['x-envoy-expected-rq-timeout-ms', '250'],
  ];
  const lower = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  return requestText({ method, target: `/envoy${target}`, host, headers: [...own, ...lower] });
};

export const shapes = { nginx: asNginx, 'nginx/uri': asNginxUri, traefik: asTraefik, envoy: asEnvoy } as const;

/** The status that the client finally gets. */
export function statusOf(response: RawResponse): number {
  return Number(response.header('x-gatehouse-status') ?? response.status);
}

/** The problem document that the client finally gets. */
export function problemOf(response: RawResponse): { readonly code: string; readonly status: number } {
  return JSON.parse(response.header('x-gatehouse-body') ?? response.body.toString());
}

export function asks({ decisionUrl }: { readonly decisionUrl: string | undefined }, bytes: Buffer, method = 'GET') {
  return ask(Number(new URL(decisionUrl ?? '').port), bytes, { method });
}
