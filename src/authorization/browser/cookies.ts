import { randomBytes } from 'node:crypto';
import { stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../base/secret.ts';

/** One cookie of this service. */
export interface BrowserCookie {
  /** Undefined if the browser sent no valid cookie, or two different ones. In the second case, someone planted one. */
  read(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/**
 * With the `__Host-` prefix, no other host of the domain and no page without TLS can set the cookie (RFC 6265bis §4.1.3.2). An
 * http issuer, which is for development, cannot use the prefix.
 */
export function browserCookie(issuer: string, name: string, { shape, maxAge }: CookieKind = randomBits): BrowserCookie {
  const secure = issuer.startsWith('https:');
  const fullName = `${secure ? '__Host-' : ''}${name}${tagOf(issuer)}`;
  const write = (reply: FastifyReply, value: string, maxAge: number | undefined) =>
    void reply.header(
      'set-cookie',
      stringifySetCookie({
        name: fullName,
        value,
        path: '/',
        httpOnly: true,
        secure,
        sameSite: 'lax',
        ...(maxAge !== undefined && { maxAge }),
      }),
    );
  return {
    read(request) {
      const [value, ...others] = new Set(valuesOf(request.headers.cookie ?? '', fullName));
      return value !== undefined && others.length === 0 && shape.test(value) ? value : undefined;
    },
    set: (reply, value) => write(reply, value, maxAge),
    clear: (reply) => write(reply, '', 0),
  };
}

/**
 * Cookies belong to a host. The ports of the host share them, and its paths too with `path: /` (RFC 6265 §8.5, §8.6).
 * So issuers on a shared host have different cookie names. A login at one issuer then does not end a session at
 * another.
 */
function tagOf(issuer: string): string {
  const { port, pathname, host } = new URL(issuer);
  if (port === '' && pathname === '/') return '';
  return `-${sha256(`${host}${pathname}`).toString('hex').slice(0, 12)}`;
}

/** All values of this name (RFC 6265 §5.4). A parser that returns one value takes the first. */
function valuesOf(header: string, name: string): readonly string[] {
  return header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
}

export interface CookieKind {
  readonly shape: RegExp;
  /** Seconds; undefined: the cookie lasts until the browser closes. */
  readonly maxAge: number | undefined;
}

/** 256 random bits. */
const randomBits: CookieKind = { shape: /^[A-Za-z0-9_-]{43}$/, maxAge: undefined };

export function randomCookieValue(): string {
  return randomBytes(32).toString('base64url');
}
