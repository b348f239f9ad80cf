/**
 * The messages of Envoy's external authorization and of the gRPC health protocol, as far as the gateway reads and writes
 * them. A reader skips all other fields (Protocol Buffers, unknown fields). The names of members exist only in this program;
 * the wire has the numbers.
 */

/** One header line. The value has the bytes as Envoy received them. */
export interface HeaderValue {
  readonly key?: string;
  readonly value?: string;
  readonly rawValue?: Buffer;
}

/** `AttributeContext.HttpRequest`. Absent members are empty or zero. */
export interface HttpAttributes {
  /** With `encode_raw_headers: true`. The first lines are `:authority`, `:path`, `:method` and `:scheme`. */
  readonly headerMap?: { readonly headers?: readonly HeaderValue[] };
  /** The body as text. Envoy replaces bytes that are not UTF-8. */
  readonly body?: string;
  /** The body as bytes, with `pack_as_bytes: true`. */
  readonly rawBody?: Buffer;
}

export interface CheckRequest {
  readonly attributes?: {
    readonly source?: { readonly address?: { readonly socketAddress?: { readonly address?: string } } };
    readonly request?: { readonly http?: HttpAttributes };
  };
}

/** `HeaderValueOption.append_action`: APPEND_IF_EXISTS_OR_ADD, ADD_IF_ABSENT, OVERWRITE_IF_EXISTS_OR_ADD. */
export const [APPEND, IF_ABSENT, OVERWRITE] = [0, 1, 2] as const;

export interface HeaderOption {
  readonly header: { readonly key: string; readonly value: string };
  readonly appendAction: typeof APPEND | typeof IF_ABSENT | typeof OVERWRITE;
}

/** `google.protobuf.Struct` with texts only. */
export interface TextStruct {
  readonly fields: Readonly<Record<string, { readonly stringValue: string }>>;
}

export interface CheckResponse {
  readonly status: { readonly code: number };
  readonly okResponse?: {
    readonly headers: readonly HeaderOption[];
    readonly headersToRemove: readonly string[];
    readonly responseHeadersToAdd: readonly HeaderOption[];
  };
  readonly deniedResponse?: {
    readonly status: { readonly code: number };
    readonly headers: readonly HeaderOption[];
    readonly body: string;
  };
  readonly dynamicMetadata?: TextStruct;
}

/** `HealthCheckResponse.ServingStatus`. */
export const SERVING = 1;
export const NOT_SERVING = 2;

type Field = { readonly type: string; readonly id: number; readonly rule?: 'repeated'; readonly keyType?: string };
type Message = { readonly fields: Readonly<Record<string, Field>> };

const one = (type: string, id: number): Field => ({ type, id });
const many = (type: string, id: number): Field => ({ type, id, rule: 'repeated' });
const map = (type: string, id: number): Field => ({ type, id, keyType: 'string' });
const message = (fields: Message['fields']): Message => ({ fields });

/** envoy/service/auth/v3/external_auth.proto, attribute_context.proto, and what these import. */
const authorization = {
  Authorization: { methods: { Check: { requestType: 'CheckRequest', responseType: 'CheckResponse' } } },
  CheckRequest: message({ attributes: one('Attributes', 1) }),
  Attributes: message({ source: one('Peer', 1), request: one('Request', 4) }),
  Peer: message({ address: one('Address', 1) }),
  Address: message({ socketAddress: one('SocketAddress', 1) }),
  SocketAddress: message({ address: one('string', 2) }),
  Request: message({ http: one('Http', 2) }),
  Http: message({
    body: one('string', 11),
    rawBody: one('bytes', 12),
    headerMap: one('HeaderMap', 13),
  }),
  HeaderMap: message({ headers: many('HeaderValue', 1) }),
  HeaderValue: message({ key: one('string', 1), value: one('string', 2), rawValue: one('bytes', 3) }),
  HeaderOption: message({ header: one('HeaderValue', 1), appendAction: one('int32', 3) }),
  CheckResponse: message({
    status: one('Status', 1),
    deniedResponse: one('Denied', 2),
    okResponse: one('Ok', 3),
    dynamicMetadata: one('Struct', 4),
  }),
  Status: message({ code: one('int32', 1) }),
  Denied: message({ status: one('Status', 1), headers: many('HeaderOption', 2), body: one('string', 3) }),
  Ok: message({
    headers: many('HeaderOption', 2),
    headersToRemove: many('string', 5),
    responseHeadersToAdd: many('HeaderOption', 6),
  }),
  Struct: message({ fields: map('Value', 1) }),
  Value: message({ stringValue: one('string', 3) }),
};

/** grpc/health/v1/health.proto. */
const health = {
  Health: { methods: { Check: { requestType: 'HealthRequest', responseType: 'HealthResponse' } } },
  HealthRequest: message({ service: one('string', 1) }),
  HealthResponse: message({ status: one('int32', 1) }),
};

/** As `fromJSON` of @grpc/proto-loader reads it. */
export const descriptor = {
  nested: {
    'envoy.service.auth.v3': { nested: authorization },
    'grpc.health.v1': { nested: health },
  },
};

export const AUTHORIZATION = 'envoy.service.auth.v3.Authorization';
export const HEALTH = 'grpc.health.v1.Health';
