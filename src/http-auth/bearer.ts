import { type Challenge, formatChallenge } from './challenge.ts';

/** RFC 6750: parses and formats the Bearer scheme. */

const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Whether the text is a `b64token` (RFC 6750 §2.1). */
export function isB64Token(text: string): boolean {
  return TOKEN68.test(text);
}

export type BearerCredentials =
  | { readonly kind: 'token'; readonly token: string }
  /** Another scheme, so there are no Bearer credentials. */
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

const OTHER: BearerCredentials = { kind: 'other' };
const MALFORMED: BearerCredentials = { kind: 'malformed' };

/** Reads the value of an Authorization field. Scheme names are case-insensitive (RFC 9110 §11.1). */
export function parseBearer(authorization: string): BearerCredentials {
  if (!isBearer(authorization)) return OTHER;
  const token = authorization.slice(6).replace(/^ +/, '');
  return isB64Token(token) ? { kind: 'token', token } : MALFORMED;
}

function isBearer(authorization: string): boolean {
  if (authorization.slice(0, 6).toLowerCase() !== 'bearer') return false;
  const next = authorization.charCodeAt(6);
  return Number.isNaN(next) || next === 0x20 || next === 0x09;
}

export interface BearerChallenge {
  readonly realm: string;
  /** Space-delimited. */
  readonly scope?: string | undefined;
  /** RFC 9728 §5.1. */
  readonly resourceMetadata?: string | undefined;
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | undefined;
  readonly errorDescription?: string | undefined;
}

/** RFC 6750 §3. A request without any credentials gets no `error` (§3.1). */
export function bearerChallenge(challenge: BearerChallenge): string {
  const { realm, scope, resourceMetadata, error, errorDescription } = challenge;
  const written: Challenge = {
    scheme: 'Bearer',
    parameters: [
      ['realm', realm],
      ['scope', scope],
      ['resource_metadata', resourceMetadata],
      ['error', error],
      ['error_description', errorDescription],
    ],
  };
  return formatChallenge(written);
}
