import { randomBytes } from 'node:crypto';
import { type Clock, seconds } from '../../base/clock.ts';
import { hmacSha256 } from '../../base/hmac.ts';
import { sameBytes } from '../../base/secret.ts';
import type { Account } from './accounts.ts';

/**
 * Recognizes browsers with an earlier login, by a cookie that only the service can make. The cookie has an id of the browser.
 * For each account it also has a time, and a code over id, account, password and time. A stranger has no such cookie, so
 * strangers' guesses need not lock out these browsers. A new password ends the exemption of all browsers until their next
 * login: otherwise the holder of an old cookie could guess the new password.
 */
export interface KnownBrowsers {
  /** The id of the browser; undefined if its cookie has no valid entry for this account. */
  idFor(cookie: string | undefined, account: KnownAccount | undefined): string | undefined;
  /** The cookie after a login. */
  withAccount(cookie: string | undefined, account: KnownAccount): string;
}

export type KnownAccount = Pick<Account, 'subject' | 'passwordVersion' | 'passwordDigest'>;

/** Seconds: half a year after the last login. */
const LIFETIME = 180 * 24 * 3600;
/** Accounts in one cookie; the most recent ones remain. */
const MOST = 5;
const CODE_BYTES = 16;

export const knownBrowserCookie = {
  /** 1 to `MOST` entries. */
  shape: /^[A-Za-z0-9_-]{22}(?:\.[1-9]\d{0,11}\.[A-Za-z0-9_-]{22}){1,5}$/,
  maxAge: LIFETIME,
};

interface Entry {
  /** NumericDate, in its written form. */
  readonly expires: string;
  readonly code: string;
}

export function buildKnownBrowsers(secret: Uint8Array, clock: Clock): KnownBrowsers {
  const codeOf = (id: string, account: KnownAccount, expires: string) =>
    hmacSha256(secret, `${id} ${expires} ${passwordMark(account)} ${account.subject}`).subarray(0, CODE_BYTES);
  const isFor = (id: string, account: KnownAccount, { expires, code }: Entry) =>
    Number(expires) > seconds(clock) && sameBytes(codeOf(id, account, expires), Buffer.from(code, 'base64url'));
  return {
    idFor(cookie, account) {
      if (account === undefined) return undefined;
      const { id, entries } = read(cookie);
      return entries.some((entry) => isFor(id, account, entry)) ? id : undefined;
    },
    withAccount(cookie, account) {
      const { id, entries } = read(cookie);
      const expires = String(seconds(clock) + LIFETIME);
      const entry = { expires, code: codeOf(id, account, expires).toString('base64url') };
      const others = entries.filter((each) => Number(each.expires) > seconds(clock) && !isFor(id, account, each));
      return [id, ...[entry, ...others].slice(0, MOST).flatMap((each) => [each.expires, each.code])].join('.');
    },
  };
}

/** Contains no blank. */
function passwordMark({ passwordVersion, passwordDigest }: KnownAccount): string {
  return passwordDigest === undefined ? String(passwordVersion) : Buffer.from(passwordDigest).toString('base64url');
}

/** A missing cookie means a new browser. */
function read(cookie: string | undefined): { readonly id: string; readonly entries: readonly Entry[] } {
  if (cookie === undefined) return { id: randomBytes(16).toString('base64url'), entries: [] };
  const [id = '', ...rest] = cookie.split('.');
  const entries = rest.flatMap((expires, index) => (index % 2 === 0 ? [{ expires, code: rest[index + 1] ?? '' }] : []));
  return { id, entries };
}
