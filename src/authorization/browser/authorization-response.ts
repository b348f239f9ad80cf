import type { FastifyReply } from 'fastify';
import { formPostHeaders, formPostPage, type Site } from '../pages/pages.ts';
import type { Addressed, ResponseValues } from './authorization-request.ts';

type Value = string | number | undefined;

/**
 * Sends the browser to the client, with the response or the error. 303 makes the browser drop the form (RFC 9700 §4.12).
 * Each answer has `state` unchanged, and `iss` (RFC 9207 §2).
 */
export function sendResponse(
  reply: FastifyReply,
  { redirectUri, mode, state }: Addressed,
  { site, values }: { readonly site: Site; readonly values: ResponseValues & { readonly iss: string } },
): FastifyReply {
  const all = { ...values, state };
  if (mode === 'form_post') return postForm(reply, redirectUri, { site, values: all });
  return redirect(reply, append[mode](redirectUri, encodeForm(all)));
}

/** OAuth 2.0 Form Post Response Mode §2. */
function postForm(
  reply: FastifyReply,
  action: string,
  { site, values }: { readonly site: Site; readonly values: ResponseValues },
): FastifyReply {
  const fields = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)] as const);
  return reply.headers(formPostHeaders(action)).send(formPostPage(site, { action, values: fields }));
}

export function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(303).headers({ location, 'referrer-policy': 'no-referrer' }).send();
}

/** The address with these parameters in its query. */
export function withQuery(uri: string, values: ResponseValues): string {
  const text = encodeForm(values);
  return text === '' ? uri : append.query(uri, text);
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
