import { stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../../base/secret.ts';

/**
 * With the `__Host-` prefix, no other host of the domain and no page without TLS can set the cookie (RFC 6265bis §4.1.3.2).
 * Browsers treat http on loopback as protected, so the prefix works there too.
 */
const PREFIX = '__Host-gatehouse';

/** Ports of one host share their cookies (RFC 6265 §8.5), so two gateways on a host need different names. */
export function sessionCookieName(host: string | undefined): string {
  return `${PREFIX}-console-${sha256((host ?? '').toLowerCase())
    .toString('hex')
    .slice(0, 12)}`;
}

/** Each login has its own cookie, so that two tabs can log in at the same time. */
export function loginCookieName(state: string): string {
  return `${LOGIN}${state.slice(0, 12)}`;
}

const LOGIN = `${PREFIX}-login-`;

/** The names of the cookies of logins that did not end. */
export function openLoginCookies(request: FastifyRequest): readonly string[] {
  return [...new Set(pairsOf(request).map(([name]) => name))].filter((name) => name.startsWith(LOGIN));
}

/** Undefined: there is no such cookie, or there are different ones. In the second case, someone planted one. */
export function readCookie(request: FastifyRequest, wanted: string): string | undefined {
  const values = new Set(pairsOf(request).flatMap(([name, value]) => (name === wanted ? [value] : [])));
  const [value] = values;
  return values.size === 1 ? value : undefined;
}

/** `maxAge`: seconds. SameSite=Lax: a link of another site may open a page, and no other request has the cookie. */
export function setCookie(reply: FastifyReply, name: string, value: string, maxAge: number): void {
  const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'lax', maxAge } as const;
  void reply.header('set-cookie', stringifySetCookie({ name, value, ...attributes }));
}

export function clearCookie(reply: FastifyReply, name: string): void {
  setCookie(reply, name, '', 0);
}

function pairsOf({ headers }: FastifyRequest): readonly (readonly [string, string])[] {
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
}
