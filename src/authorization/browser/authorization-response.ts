import type { FastifyReply } from 'fastify';
import type { Addressed } from './authorization-request.ts';

type Value = string | number | undefined;

/**
 * Redirects the browser to the client, with the response or the error. 303 makes the browser drop the form (RFC 9700 §4.12).
 * Each answer has `state` unchanged, and `iss` (RFC 9207 §2).
 */
export function sendResponse(
  reply: FastifyReply,
  { redirectUri, mode, state }: Addressed,
  { issuer, ...values }: { readonly issuer: string } & Readonly<Record<string, Value>>,
): FastifyReply {
  const text = encodeForm({ ...values, state, iss: issuer });
  return redirect(reply, append[mode](redirectUri, text));
}

export function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers({ location, 'referrer-policy': 'no-referrer' }).send();
}

/** The registered address stays unchanged, including its query (RFC 6749 §3.1.2). */
const append = {
  query: (uri: string, text: string) => `${uri}${separator(uri)}${text}`,
  fragment: (uri: string, text: string) => `${uri}#${text}`,
} as const;

function separator(uri: string): string {
  if (!uri.includes('?')) return '?';
  return /[?&]$/.test(uri) ? '' : '&';
}

/** Encodes a space as `%20`, which every reader understands. */
export function encodeForm(values: Readonly<Record<string, Value>> | readonly (readonly [string, string])[]): string {
  const pairs: readonly (readonly [string, Value])[] = Array.isArray(values) ? values : Object.entries(values);
  return pairs
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value as string | number)}`)
    .join('&');
}
