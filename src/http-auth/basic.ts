import { formatChallenge } from './challenge.ts';
import { splitCredentials } from './scheme.ts';
import { decodeCredentialText, hasControl } from './text.ts';

/** RFC 7617: parses and formats the Basic scheme. */
export type BasicCredentials =
  | { readonly kind: 'credentials'; readonly username: string; readonly password: string }
  /** Another scheme, so there are no Basic credentials. */
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads the value of an Authorization field. The first colon separates name and password. A control character is a
 * fault.
 */
export function parseBasic(authorization: string): BasicCredentials {
  const split = splitCredentials(authorization);
  if (split?.scheme !== 'basic') return { kind: 'other' };
  if (split.rest === '' || !BASE64.test(split.rest)) return { kind: 'malformed' };
  const text = decodeCredentialText(Buffer.from(split.rest, 'base64'));
  const colon = text.indexOf(':');
  if (colon === -1 || hasControl(text)) return { kind: 'malformed' };
  return { kind: 'credentials', username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** In UTF-8. A name with a colon is ambiguous, so it throws. */
export function formatBasic(username: string, password: string): string {
  if (username.includes(':')) throw new Error('a username for Basic must not contain a colon (RFC 7617 §2)');
  return `Basic ${Buffer.from(`${username}:${password}`.normalize('NFC')).toString('base64')}`;
}

export interface BasicChallenge {
  readonly realm: string;
  /** RFC 7617 §2.1. Undefined: the client may choose. */
  readonly charset?: 'UTF-8' | undefined;
}

export function basicChallenge({ realm, charset }: BasicChallenge): string {
  return formatChallenge({
    scheme: 'Basic',
    parameters: [
      ['realm', realm],
      ['charset', charset],
    ],
  });
}
