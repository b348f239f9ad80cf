import type { LastMade } from '../../base/last-made.ts';

/**
 * The head of a request, read once. `fields` keeps every header line in order, with names in lower case. The members
 * below it are the few fields that decide something. Each has its count, because a repeated field differs in meaning
 * from a single one.
 */
export interface RequestHead {
  readonly method: string;
  /** The request-target as received. */
  readonly target: string;
  readonly version: '1.0' | '1.1' | '2.0';
  readonly origin: Origin;
  /** Name, value, name, value, …; names in lower case. */
  readonly fields: readonly string[];
  readonly host: Occurrences;
  readonly authorization: Credential;
  readonly contentType: Occurrences;
  readonly contentEncoding: Occurrences;
  readonly contentLength: Occurrences;
  readonly transferEncoding: Occurrences;
  readonly connection: Occurrences;
  readonly upgrade: Occurrences;
  readonly te: Occurrences;
  /** Origin (RFC 6454): the page that sent the browser's request. */
  readonly webOrigin: Occurrences;
  /** Access-Control-Request-Method, of a preflight. */
  readonly requestedMethod: Occurrences;
  /** W3C Trace Context. */
  readonly traceparent: Occurrences;
  readonly tracestate: Occurrences;
  /** Whether a body follows the head (RFC 9112 §6.3). */
  readonly hasBody: boolean;
}

/** A header field as received: the number of its lines, and the last value. Undefined: there is none. */
export type Occurrences = { readonly lines: number; readonly value: string } | undefined;

/**
 * Authorization. `parsed`: what was made of the text, if the connection sends it again. It says nothing about whether
 * the credential is valid.
 */
export type Credential = (NonNullable<Occurrences> & { readonly parsed?: LastMade<unknown> | undefined }) | undefined;

/** The facts that depend only on the header section. */
export type HeadFields = Omit<RequestHead, 'method' | 'target' | 'version' | 'origin'>;

type Decisive = Exclude<keyof HeadFields, 'fields' | 'hasBody'>;

const decisive: ReadonlyMap<string, Decisive> = new Map<string, Decisive>([
  ['host', 'host'],
  ['authorization', 'authorization'],
  ['content-type', 'contentType'],
  ['content-encoding', 'contentEncoding'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['connection', 'connection'],
  ['upgrade', 'upgrade'],
  ['te', 'te'],
  ['origin', 'webOrigin'],
  ['access-control-request-method', 'requestedMethod'],
  ['traceparent', 'traceparent'],
  ['tracestate', 'tracestate'],
]);

/** Where a request comes from: the connection, or a trusted proxy's facts about the previous connection. */
export interface Origin {
  /** The client's address. */
  readonly address: string;
  /** Whether the client's connection is TLS. */
  readonly secure: boolean;
  /** `X-Forwarded-For` for the upstream: the client, then the trusted proxies in between. */
  readonly chain: string;
  /**
   * Host as a trusted proxy spells it, perhaps with the port that the client requested. Undefined: as the request has
   * it.
   */
  readonly host: string | undefined;
  /**
   * X-Forwarded-Host of a trusted proxy, if it differs from Host. The gateway judges the request by it and does not forward
   * it.
   */
  readonly otherHost?: string | undefined;
  /** The verified client certificate of this connection. Undefined: none, or the connection belongs to a proxy. */
  readonly certificate?: ClientCertificate | undefined;
  /** Taken from a trusted proxy. */
  readonly requestId: string | undefined;
  /** Whether the peer is a trusted proxy, so that the gateway trusts its forwarding headers. */
  readonly isProxied: boolean;
  /** How a proxy asked about the request. Undefined: the request came to the listener for clients. */
  readonly via?: Via;
}

/** The client's verified certificate. */
export interface ClientCertificate {
  /** The value of Client-Cert (RFC 9440). */
  readonly field: string;
  /** The certificate's subject, in one line. */
  readonly subject: string;
}

export type Via = 'nginx' | 'forward-auth' | 'envoy';

/** What the listener knows about a request before it is judged. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1' | '2.0';
  readonly origin: Origin;
  /** As in Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export function readHead(received: ReceivedRequest): RequestHead {
  return headOf(received, readFields(received.rawHeaders));
}

/** Reads the header section in one pass over its lines. `rawHeaders`: as in Node.js. */
export function readFields(rawHeaders: readonly string[]): HeadFields {
  const fields = new Array<string>(rawHeaders.length);
  const head = blank(fields);
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    const value = rawHeaders[i + 1] as string;
    fields[i] = name;
    fields[i + 1] = value;
    const member = decisive.get(name);
    if (member !== undefined) head[member] = again(head[member], member, value);
  }
  head.hasBody = announcesBody(head);
  return head;
}

/**
 * The same section with other values. `changed`: where `rawHeaders` has the names of these values. Undefined: one of these
 * fields has several lines and decides something.
 */
export function withValues(
  read: HeadFields,
  changed: readonly number[],
  rawHeaders: readonly string[],
): HeadFields | undefined {
  const fields = read.fields.slice();
  const head: Mutable<HeadFields> = { ...read, fields };
  for (const index of changed) {
    const value = rawHeaders[index + 1] as string;
    fields[index + 1] = value;
    const member = decisive.get(fields[index] as string);
    if (member === undefined) continue;
    if (head[member]?.lines !== 1) return undefined;
    head[member] = { lines: 1, value };
  }
  head.hasBody = announcesBody(head);
  return head;
}

/** Whether a request is judged by the field, or only forwarded with it. `name`: in lower case. */
export function decides(name: string): boolean {
  return decisive.has(name);
}

/** Sets each member separately. A spread would cost each request more than the rest of its head. */
export function headOf(
  { method, target, version, origin }: Omit<ReceivedRequest, 'rawHeaders'>,
  read: HeadFields,
): RequestHead {
  return {
    method,
    target,
    version,
    origin,
    fields: read.fields,
    host: read.host,
    authorization: read.authorization,
    contentType: read.contentType,
    contentEncoding: read.contentEncoding,
    contentLength: read.contentLength,
    transferEncoding: read.transferEncoding,
    connection: read.connection,
    upgrade: read.upgrade,
    te: read.te,
    webOrigin: read.webOrigin,
    requestedMethod: read.requestedMethod,
    traceparent: read.traceparent,
    tracestate: read.tracestate,
    hasBody: read.hasBody,
  };
}

/** Every head has the same shape, whatever its fields, so that V8 stays on its fast path. */
function blank(fields: string[]): Mutable<HeadFields> {
  return {
    fields,
    host: undefined,
    authorization: undefined,
    contentType: undefined,
    contentEncoding: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    connection: undefined,
    upgrade: undefined,
    te: undefined,
    webOrigin: undefined,
    requestedMethod: undefined,
    traceparent: undefined,
    tracestate: undefined,
    hasBody: false,
  };
}

/** Connection is a list over all its lines (RFC 9110 §5.3). For the other fields, only the number of lines matters. */
function again(before: Occurrences, member: Decisive, value: string): Occurrences {
  if (before === undefined) return { lines: 1, value };
  const list = member === 'connection' || member === 'te' || member === 'upgrade';
  return { lines: before.lines + 1, value: list ? `${before.value}, ${value}` : value };
}

function announcesBody({ transferEncoding, contentLength }: HeadFields): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength.value !== '0');
}

/** Whether a comma-separated field value contains this token, ignoring case. */
export function listNames(field: Occurrences, token: string): boolean {
  if (field === undefined) return false;
  return field.value.split(',').some((item) => item.trim().toLowerCase() === token);
}

/** `name`: in lower case. */
export function valuesOf({ fields }: Pick<RequestHead, 'fields'>, name: string): readonly string[] {
  return fields.filter((_, index) => index % 2 === 1 && fields[index - 1] === name);
}

/** Only these methods count hops (RFC 9110 §7.6.2). */
const COUNTED: ReadonlySet<string> = new Set(['OPTIONS', 'TRACE']);

/** Whether the request must not be forwarded (RFC 9110 §7.6.2). */
export function isLastHop(head: RequestHead): boolean {
  return COUNTED.has(head.method) && valuesOf(head, 'max-forwards').some((value) => /^0+$/.test(value));
}

/**
 * The value of Max-Forwards for the next hop: one fewer, and not more than a number can hold. A value that is not a number
 * stays unchanged.
 */
export function forwardedHops({ method }: RequestHead, value: string): string {
  if (!COUNTED.has(method) || !/^\d+$/.test(value)) return value;
  return String(Math.min(Number(value) - 1, Number.MAX_SAFE_INTEGER));
}

/**
 * A browser sends a preflight before the actual request (Fetch, CORS-preflight request). Every other OPTIONS is an
 * ordinary request.
 */
export function isPreflight({ method, webOrigin, requestedMethod }: RequestHead): boolean {
  return method === 'OPTIONS' && webOrigin !== undefined && requestedMethod !== undefined;
}
