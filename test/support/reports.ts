import { type JWTHeaderParameters, SignJWT } from 'jose';
import type { AlgorithmName } from '../../src/jwt/algorithms.ts';
import { signingKey } from './keys.ts';
import { issuer } from './tokens.ts';

/** What an authorization server signs to report that something ended. */
export interface ReportOptions {
  readonly alg?: AlgorithmName;
  readonly header?: Partial<JWTHeaderParameters>;
  /** Removes these claims. */
  readonly without?: readonly string[];
}

export const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';
export const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/';
export const gatewayAudience = 'https://gateway.example.com';

const now = () => Math.floor(Date.now() / 1000);

async function signed(claims: Record<string, unknown>, typ: string, options: ReportOptions): Promise<string> {
  const { alg = 'ES256', header = {}, without = [] } = options;
  const { kid, key } = await signingKey(alg);
  const kept = Object.fromEntries(Object.entries(claims).filter(([name]) => !without.includes(name)));
  return new SignJWT(kept).setProtectedHeader({ alg, typ, kid, ...header }).sign(key);
}

/** OpenID Connect Back-Channel Logout §2.4, for the client `shop`. */
export function logoutToken(claims: Record<string, unknown> = {}, options: ReportOptions = {}): Promise<string> {
  const standard = { iss: issuer, aud: 'shop', iat: now(), exp: now() + 120, jti: crypto.randomUUID() };
  return signed({ ...standard, events: { [LOGOUT]: {} }, ...claims }, 'logout+jwt', options);
}

/** RFC 8417 §2.2, for this gateway. */
export function securityEvent(
  events: Record<string, unknown>,
  claims: Record<string, unknown> = {},
  options: ReportOptions = {},
): Promise<string> {
  const standard = { iss: issuer, aud: gatewayAudience, iat: now(), jti: crypto.randomUUID() };
  return signed({ ...standard, events, ...claims }, 'secevent+jwt', options);
}

/** Posts a logout token as an authorization server does. */
export function sendLogout(url: string, token: string): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });
}

/** Pushes a security event token (RFC 8935 §2.1). */
export function pushEvent(url: string, token: string, authorization?: string): Promise<Response> {
  const headers = { 'content-type': 'application/secevent+jwt', ...(authorization && { authorization }) };
  return fetch(url, { method: 'POST', headers, body: token });
}
