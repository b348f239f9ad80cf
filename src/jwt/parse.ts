import { refused } from '../base/verdict.ts';
import type { RefusedJwt } from './faults.ts';
import { isObject, type JsonObject, parseJsonObject } from './json.ts';

/** Characters. A longer token is refused before any parsing. */
export const MAX_TOKEN_LENGTH = 16 * 1024;
const MAX_KID_LENGTH = 1024;

export interface JwsHeader {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly typ: string | undefined;
}

/** A well-formed compact JWS (RFC 7515 §7.1). Nothing in it is verified. */
export interface ParsedJws {
  readonly kind: 'parsed';
  readonly token: string;
  readonly header: JwsHeader;
  readonly payload: Uint8Array;
  readonly signature: Uint8Array<ArrayBuffer>;
}

export interface ParsedJwt extends ParsedJws {
  readonly claims: JsonObject;
}

/** Three parts, and the first is JSON with `alg`. `parseJwt` judges the encoding strictly. */
export function looksLikeJwt(token: string): boolean {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first <= 0 || second === -1 || token.indexOf('.', second + 1) !== -1) return false;
  return isHeader(token.slice(0, first));
}

function isHeader(part: string): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) && Object.hasOwn(value, 'alg');
  } catch {
    return false;
  }
}

export function parseJwt(token: string): ParsedJwt | RefusedJwt {
  const jws = parseJws(token);
  if (jws.kind === 'refused') return jws;
  const claims = parseJsonObject(jws.payload);
  return claims === undefined ? malformed('payload is not a JSON object') : { ...jws, claims };
}

export function parseJws(token: string): ParsedJws | RefusedJwt {
  if (token.length > MAX_TOKEN_LENGTH) return malformed('too long');
  const parts = token.split('.', 4).map(decode);
  const [head, payload, signature] = parts;
  if (parts.length !== 3 || !head || !payload || !signature) return malformed('not three parts of base64url');
  const header = parseJsonObject(head);
  if (header === undefined) return malformed('header is not a JSON object');
  const judged = judgeHeader(header);
  return 'kind' in judged ? judged : { kind: 'parsed', token, header: judged, payload, signature };
}

/**
 * Accepts only canonical base64url (RFC 7515 §2, RFC 4648 §3.5). Unused bits of a last character, padding and
 * whitespace would each give the same token another text. A cache keyed by the text would then miss it.
 */
function decode(part: string): Buffer<ArrayBuffer> | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

/**
 * No extension is supported, so any `crit` is refused (RFC 7515 §4.1.11), and `b64` with it (RFC 7797). Parameters that
 * contain a key or its URL are refused unread (RFC 8725 §3.10).
 */
const FORBIDDEN = ['crit', 'b64', 'jku', 'jwk', 'x5u', 'x5c', 'zip', 'enc'];

function judgeHeader(header: JsonObject): JwsHeader | RefusedJwt {
  const { alg, kid, typ } = header;
  const forbidden = FORBIDDEN.find((name) => Object.hasOwn(header, name));
  if (forbidden !== undefined) return malformed(`header parameter ${forbidden}`);
  if (typeof alg !== 'string') return malformed('alg is not a string');
  if (!isOptionalText(kid) || (kid?.length ?? 0) > MAX_KID_LENGTH) return malformed('kid is not a short string');
  if (!isOptionalText(typ)) return malformed('typ is not a string');
  return { alg, kid, typ };
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function malformed(detail: string): RefusedJwt {
  return refused('token_malformed', detail);
}
