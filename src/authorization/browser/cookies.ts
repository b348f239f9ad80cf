import { randomBytes } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A cookie of 256 random bits. */
export interface BrowserCookie {
  /** Undefined where the browser sent none, or one that we never made. */
  read(request: FastifyRequest): string | undefined;
  /** Until the browser is closed. */
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/**
 * With the `__Host-` prefix no other host of the domain can set it, and no page without TLS (RFC 6265bis §4.1.3.2). An
 * http issuer, which is one of development, cannot have that.
 */
export function browserCookie(issuer: string, name: string): BrowserCookie {
  const secure = issuer.startsWith('https:');
  const fullName = secure ? `__Host-${name}` : name;
  const write = (reply: FastifyReply, value: string, maxAge?: number) =>
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
      const value = parseCookie(request.headers.cookie ?? '')[fullName];
      return value !== undefined && shape.test(value) ? value : undefined;
    },
    set: (reply, value) => write(reply, value),
    clear: (reply) => write(reply, '', 0),
  };
}

const shape = /^[A-Za-z0-9_-]{43}$/;

export function randomCookieValue(): string {
  return randomBytes(32).toString('base64url');
}
