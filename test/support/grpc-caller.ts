import { readFileSync } from 'node:fs';
import { ChannelCredentials, Client, type ServiceError } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { Test } from 'tap';
import {
  AUTHORIZATION,
  type CheckRequest,
  type CheckResponse,
  descriptor,
  HEALTH,
  type HeaderOption,
} from '../../src/gateway/listener/grpc/messages.ts';

type Method = {
  readonly path: string;
  requestSerialize(value: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
};

const definitions = fromJSON(descriptor as unknown as Parameters<typeof fromJSON>[0], { bytes: Buffer });
const methodOf = (service: string) => (definitions[service] as unknown as { readonly Check: Method }).Check;

/** A request as Envoy describes it with `encode_raw_headers` and `pack_as_bytes`. */
export interface Described {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly scheme?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  readonly source?: string;
}

export function checkRequest({ headers = [], body, source, ...http }: Described): CheckRequest {
  const { method, path, host, scheme } = {
    ...{ method: 'GET', path: '/orders/1', host: 'api.example.com', scheme: 'http' },
    ...http,
  };
  const basics = { ':authority': host, ':path': path, ':method': method, ':scheme': scheme };
  const lines = [...Object.entries(basics), ...headers].map(([key, value]) => ({
    key,
    rawValue: Buffer.from(value, 'latin1'),
  }));
  return {
    attributes: {
      ...(source !== undefined && { source: { address: { socketAddress: { address: source } } } }),
      request: {
        http: {
          headerMap: { headers: lines },
          ...(body !== undefined && { rawBody: Buffer.from(body, 'latin1') }),
        },
      },
    },
  };
}

/** The bytes of a call with this request: no compression, the length, and the message. */
export function messageOf(described: Described): Buffer {
  const bytes = methodOf(AUTHORIZATION).requestSerialize(checkRequest(described));
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

export interface GrpcCaller {
  check(request: Described | CheckRequest): Promise<CheckResponse>;
  health(service?: string): Promise<number>;
  /** Sends a call, and cancels it after this many milliseconds. */
  cancelled(request: Described, milliseconds: number): Promise<number>;
}

/** A caller with its own connection. `ca`: the file of the authority, for TLS. */
export function grpcCaller(t: Test, address: string | undefined, ca?: string): GrpcCaller {
  const credentials =
    ca === undefined ? ChannelCredentials.createInsecure() : ChannelCredentials.createSsl(readFileSync(ca));
  const client = new Client(address ?? '', credentials, { 'grpc.use_local_subchannel_pool': 1 });
  t.teardown(() => client.close());
  const begin = (service: string, request: object, done: (error: ServiceError | null, told?: object) => void) => {
    const { path, requestSerialize, responseDeserialize } = methodOf(service);
    return client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, done);
  };
  const call = (service: string, request: object) =>
    new Promise<object>((resolve, reject) => {
      begin(service, request, (error, told) => (error === null ? resolve(told ?? {}) : reject(error)));
    });
  return {
    check: async (request) =>
      (await call(
        AUTHORIZATION,
        'attributes' in request ? request : checkRequest(request as Described),
      )) as CheckResponse,
    health: async (service = '') => ((await call(HEALTH, { service })) as { readonly status: number }).status,
    cancelled: (request, milliseconds) =>
      new Promise((resolve) => {
        const open = begin(AUTHORIZATION, checkRequest(request), (error) => resolve(error?.code ?? 0));
        setTimeout(() => open.cancel(), milliseconds);
      }),
  };
}

/** All values of a header in a list of changes. */
export function valuesIn(options: readonly HeaderOption[] | undefined, name: string): readonly string[] {
  return (options ?? []).flatMap(({ header }) => (header.key === name ? [header.value] : []));
}

/** The status and the code of a refusal. 200: the request passes. */
export function verdictOf({ okResponse, deniedResponse }: CheckResponse): string {
  if (okResponse != null) return '200';
  const code = deniedResponse?.body.startsWith('{') ? JSON.parse(deniedResponse.body).code : '';
  return `${deniedResponse?.status.code} ${code}`;
}
