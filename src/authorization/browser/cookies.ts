import { randomBytes } from 'node:crypto';
import { stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../base/secret.ts';

/** A cookie of ours. */
export interface BrowserCookie {
  /** Undefined where the browser sent none, one that we never made, or two that differ: one of them was planted. */
  read(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/**
 * With the `__Host-` prefix no other host of the domain can set it, and no page without TLS (RFC 6265bis §4.1.3.2). An
 * http issuer, which is one of development, cannot have that.
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
 * Cookies belong to a host: its ports and, with `path: /`, its paths share them (RFC 6265 §8.5, §8.6). Issuers on a shared
 * host have cookie names of their own, so that a login at one does not end a session at another.
 */
function tagOf(issuer: string): string {
  const { port, pathname, host } = new URL(issuer);
  if (port === '' && pathname === '/') return '';
  return `-${sha256(`${host}${pathname}`).toString('hex').slice(0, 12)}`;
}

/** All of this name (RFC 6265 §5.4): a reader of cookies that answers with one chooses the first. */
function valuesOf(header: string, name: string): readonly string[] {
  return header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
}

export interface CookieKind {
  readonly shape: RegExp;
  /** Seconds; undefined: until the browser is closed. */
  readonly maxAge: number | undefined;
}

/** 256 of them. */
const randomBits: CookieKind = { shape: /^[A-Za-z0-9_-]{43}$/, maxAge: undefined };

export function randomCookieValue(): string {
  return randomBytes(32).toString('base64url');
}
