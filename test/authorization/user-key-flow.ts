import { decodeProtectedHeader, type JWK } from 'jose';
import type { Test } from 'tap';
import { type TokenAnswer, tokens } from './grant-flow.ts';
import { type Changes, configuration, type Running, type RunOptions, run, web } from './running-service.ts';

export const webJwt = { id: 'web-jwt', secret: web.secret };
export const userKeys: Changes = { signing: { user_keys: true } };

export function runWithUserKeys(t: Test, { config, ...deps }: RunOptions = {}): Promise<Running> {
  const signing = { ...userKeys.signing, ...config?.signing };
  return run(t, { ...deps, config: { ...config, signing } });
}

/** What the consent page would have created for this user, exchanged by a client that gets JWTs. */
export function jwtOf(service: Running, subject = 'alice'): Promise<TokenAnswer> {
  return tokens(service, { subject, username: subject }, webJwt);
}

export const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? '';

export interface PublishedKey extends JWK {
  readonly sub_hash: string;
}

export function askKey(service: Pick<Running, 'url'>, kid: string, headers: Record<string, string> = {}) {
  return fetch(`${service.url}/oauth2/keys/${kid}`, { headers });
}

export async function publishedKey(service: Pick<Running, 'url'>, kid: string, headers: Record<string, string> = {}) {
  const answer = (await (await askKey(service, kid, headers)).json()) as { keys: readonly [PublishedKey] };
  return answer.keys[0];
}

/** What `gatehouse user rotate-key` does. */
export function rotate({ service }: Running, subject = 'alice'): Promise<readonly string[]> {
  const now = Math.floor(service.clock.now() / 1000);
  return service.records.rotateUserKey({ subject, until: now + 900, now });
}

/** The clients of the tests, one of them with an added member. */
export function withClient(id: string, change: object) {
  return configuration().clients.map((client) => (client.client_id === id ? { ...client, ...change } : client));
}
