import type { Test } from 'tap';
import { filesIn } from '../docs/cookbook.ts';
import type { FrontProxy } from '../support/front-proxy.ts';
import { gateway, type TestGateway } from '../support/gateway.ts';
import { ask } from '../support/raw-client.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { type RequestText, requestText } from '../support/request-text.ts';
import { hmacServer } from '../support/tokens.ts';
import { type Witness, witness } from '../support/witness.ts';

export interface Fronted {
  readonly upstream: Witness;
  readonly gateway: TestGateway;
  readonly proxy: FrontProxy;
  /** Through the proxy that asks. */
  send(request: RequestText): Promise<RawResponse>;
  /** The same at the gateway's own listener. */
  direct(request: RequestText): Promise<RawResponse>;
  /** How many decisions were requested. */
  decisions(): number;
}

export interface Parts {
  readonly decision: string;
  /** Undefined: the page has no gRPC. */
  readonly grpc?: string | undefined;
  readonly listen: string;
  readonly upstream: string;
}

export type Starts = (t: Test, page: string, parts: Parts) => Promise<FrontProxy>;

/** A proxy and a gateway with the files of the page, and tokens signed with a shared secret. */
export async function fronted(t: Test, page: string, start: Starts, changes: object = {}): Promise<Fronted> {
  const upstream = await witness(t);
  const [shown] = filesIn(page);
  const here = { listen: '127.0.0.1:0', authorization_servers: hmacServer };
  const grpc = shown?.values.decision?.grpc && { grpc: '127.0.0.1:0' };
  const decision = { ...shown?.values.decision, listen: '127.0.0.1:0', ...grpc };
  const upstreams = { orders: { url: upstream.url } };
  const running = await gateway(t, { ...shown?.values, upstreams, ...here, ...changes, decision });
  return { upstream, ...(await before(t, page, start, { upstream, running })) };
}

export async function before(
  t: Test,
  page: string,
  start: Starts,
  { upstream, running }: { upstream: Witness; running: TestGateway },
): Promise<Omit<Fronted, 'upstream'>> {
  const [decisionAt, upstreamAt] = [running.decisionUrl, upstream.url].map((url) => new URL(url ?? '').host);
  const grpc = running.grpcAddress;
  const parts = { decision: decisionAt ?? '', grpc, listen: `127.0.0.1:${running.port}`, upstream: upstreamAt ?? '' };
  const proxy = await start(t, page, parts);
  return {
    gateway: running,
    proxy,
    send: (request) => ask(proxy.port, requestText(request), methodOf(request)),
    direct: (request) => ask(running.port, requestText(request), methodOf(request)),
    decisions: () => running.log.filter((record) => 'via' in record).length,
  };
}

function methodOf({ method }: RequestText): { readonly method?: string } {
  return method === undefined ? {} : { method };
}

/** The parts of an answer that matter to an API client. */
export function gist(response: RawResponse) {
  const text = response.body.toString();
  const isProblem = text !== '' && response.header('content-type') === 'application/problem+json';
  const { code, status, detail } = isProblem ? JSON.parse(text) : {};
  return {
    status: response.status,
    challenges: response.all('www-authenticate').join(', '),
    allow: response.header('allow'),
    waits: response.header('retry-after') !== undefined,
    origin: response.header('access-control-allow-origin'),
    exposed: response.header('access-control-expose-headers'),
    methods: response.header('access-control-allow-methods'),
    ...(response.status >= 400 && { caches: response.header('cache-control') }),
    hasId: response.header('x-request-id') !== undefined,
    ...(isProblem ? { code, told: status, detail } : {}),
  };
}
