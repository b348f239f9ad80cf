import { createHash, randomBytes } from 'node:crypto';
import { makeOpaqueToken, tokenPrefixes } from '../../src/authorization/tokens/opaque-token.ts';
import { sha256 } from '../../src/base/secret.ts';
import type { CodeRecord } from '../../src/storage/records/records.ts';
import { basic, callback, type Running, web } from './running-service.ts';

export const verifier = 'a-code-verifier-that-is-long-enough-for-rfc-7636';
export const challenge = createHash('sha256').update(verifier).digest('base64url');

type Client = { id: string; secret: string };

export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly error?: string;
}

/** What the consent page would have created: alice granted orders.read to web, with PKCE. Times are NumericDates. */
export function codeRecord(text: string, now: number, changes: Partial<CodeRecord> = {}): CodeRecord {
  return {
    hash: sha256(text),
    use: 'token',
    clientId: web.id,
    subject: 'alice',
    username: 'alice',
    scope: 'orders.read',
    audience: ['https://api.example.com'],
    redirectUri: callback,
    redirectUriSent: true,
    challenge,
    authTime: now - 5,
    grantId: randomBytes(16).toString('base64url'),
    issuedAt: now,
    expiresAt: now + 60,
    ...changes,
  };
}

/** Saves such a code, and returns its text. */
export async function code({ service }: Running, changes: Partial<CodeRecord> = {}): Promise<string> {
  const text = makeOpaqueToken(tokenPrefixes.code);
  const record = codeRecord(text, Math.floor(service.clock.now() / 1000), changes);
  await service.records.saveCode({ code: record, consent: undefined, transaction: undefined });
  return text;
}

/** Redeems a code as web with the right values, except for the changes; an empty value removes a parameter. */
export function redeem(
  service: Running,
  text: string,
  changes: Record<string, string> = {},
  client: Client = web,
): Promise<Response> {
  const form = { grant_type: 'authorization_code', code: text, redirect_uri: callback, code_verifier: verifier };
  return service.post('/oauth2/token', { ...form, ...changes }, basic(client));
}

/** The first tokens of a grant. */
export async function tokens(service: Running, changes: Partial<CodeRecord> = {}, client: Client = web) {
  const response = await redeem(service, await code(service, { clientId: client.id, ...changes }), {}, client);
  const answer = (await response.json()) as TokenAnswer;
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}

export function refresh(
  service: Running,
  refreshToken: string,
  changes: Record<string, string> = {},
  client: Client = web,
): Promise<Response> {
  return service.post(
    '/oauth2/token',
    { grant_type: 'refresh_token', refresh_token: refreshToken, ...changes },
    basic(client),
  );
}

export async function refreshed(service: Running, refreshToken: string, changes = {}, client: Client = web) {
  const response = await refresh(service, refreshToken, changes, client);
  const answer = (await response.json()) as TokenAnswer;
  if (response.status !== 200) throw new Error(JSON.stringify(answer));
  return answer;
}
