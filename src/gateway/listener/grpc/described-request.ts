import { BODILESS } from '../decision/asker.ts';
import { original, type Unclear, unclear } from '../decision/decision-request.ts';
import type { CheckRequest, HeaderValue } from './messages.ts';

/** The client's request, as Envoy describes it. */
export interface DescribedRequest {
  readonly kind: 'described';
  readonly method: string;
  readonly target: string;
  /** As in Node's `rawHeaders`: Host first, then the client's own lines, then the length of a known body. */
  readonly rawHeaders: readonly string[];
  /** The address of the connection to Envoy. Undefined: Envoy does not say it. */
  readonly source: string | undefined;
  readonly isSecure: boolean;
  readonly body: DescribedBody;
}

/**
 * - `whole`: all bytes of the body, which Envoy forwards unchanged.
 * - `partial`: Envoy has more bytes than it sent.
 * - `unseen`: Envoy sent no byte. With `with_request_body`, this means that there is no body.
 */
export type DescribedBody =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'partial' | 'unseen' };

/**
 * Reads the attributes. Everything that is judged must be exactly what Envoy forwards, so only the bytes of `header_map`
 * count. In the attributes `method`, `path` and `host`, Envoy replaces bytes that are not UTF-8, and forwards them unchanged.
 */
export function describedRequest({ attributes }: CheckRequest): DescribedRequest | Unclear {
  const http = attributes?.request?.http;
  if (http === undefined) return unclear('the attributes describe no HTTP request');
  if (http.headerMap === undefined)
    return unclear('there is no header_map: set `encode_raw_headers: true` in ext_authz');
  if ((http.body ?? '') !== '') return unclear('the body is text: set `pack_as_bytes: true` in with_request_body');
  const lines = (http.headerMap.headers ?? []).map(lineOf);
  const [method, target, host] = [':method', ':path', ':authority'].map((name) => onlyValue(lines, name));
  if (method === undefined || target === undefined || host === undefined) return unclear(NO_REQUEST_LINE);
  const secure = isSecure(lines);
  const told = original({ method, target, host, secure });
  if (told.kind === 'unclear') return told;
  const body = bodyOf(http.rawBody, lines);
  const source = attributes?.source?.address?.socketAddress?.address;
  const rawHeaders = ['host', host, ...lines.filter(isOwn).flat(), ...framing(body, lines, method)];
  return { kind: 'described', method, target, rawHeaders, source, isSecure: secure, body };
}

const NO_REQUEST_LINE =
  'header_map has no `:method`, `:path` and `:authority`: remove `allowed_headers` and `disallowed_headers` from ext_authz';

type Line = readonly [name: string, value: string];

/** As Node.js reads header lines: one character for each byte. */
function lineOf({ key = '', value = '', rawValue }: HeaderValue): Line {
  const bytes = rawValue === undefined || rawValue.length === 0 ? Buffer.from(value, 'utf8') : rawValue;
  return [key.toLowerCase(), bytes.toString('latin1')];
}

/** Envoy adds this line to the attributes, and not to the request. */
const PARTIAL = 'x-envoy-auth-partial-body';
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** Names with `:` are the request line. Framing is Envoy's own work. */
function isOwn([name]: Line): boolean {
  return !name.startsWith(':') && name !== PARTIAL && !FRAMING.has(name);
}

/** A client can send the line of Envoy too, so one line with `true` is enough. */
function bodyOf(bytes: Buffer | undefined, lines: readonly Line[]): DescribedBody {
  const told = valuesOf(lines, PARTIAL);
  if (told.some((value) => value !== 'false')) return { kind: 'partial' };
  const isWhole = (bytes !== undefined && bytes.length > 0) || valuesOf(lines, 'content-length').includes('0');
  return isWhole ? { kind: 'whole', bytes: bytes ?? Buffer.alloc(0) } : { kind: 'unseen' };
}

/** In HTTP/2, no header has to announce a body. So every body that Envoy did not send counts as one of unknown length. */
function framing(body: DescribedBody, lines: readonly Line[], method: string): readonly string[] {
  if (body.kind === 'whole') return ['content-length', String(body.bytes.length)];
  const length = valuesOf(lines, 'content-length').at(-1);
  if (length !== undefined) return ['content-length', length];
  const isBodiless =
    BODILESS.has(method) && body.kind === 'unseen' && valuesOf(lines, 'transfer-encoding').length === 0;
  return isBodiless ? [] : ['transfer-encoding', 'chunked'];
}

/** A client can choose the scheme of an HTTP/2 request. So Envoy's own header must agree. */
function isSecure(lines: readonly Line[]): boolean {
  return [':scheme', 'x-forwarded-proto'].every((name) => onlyValue(lines, name)?.toLowerCase() === 'https');
}

/** Undefined: there is no such line, or more than one. */
function onlyValue(lines: readonly Line[], wanted: string): string | undefined {
  const [value, ...more] = valuesOf(lines, wanted);
  return more.length === 0 ? value : undefined;
}

function valuesOf(lines: readonly Line[], wanted: string): readonly string[] {
  return lines.flatMap(([name, value]) => (name === wanted ? [value] : []));
}
