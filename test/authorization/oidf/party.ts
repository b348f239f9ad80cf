import { createLocalJWKSet, type JWK } from 'jose';
import { checkKeys } from './checks/keys.ts';
import { type Judge, need } from './judge.ts';
import { type Answer, exchange, jsonOf, shown } from './provider/exchange.ts';
import type { Provider } from './provider/provider.ts';
import { client, type RegisteredRp } from './provider/registered.ts';
import { type UserAgent, userAgent } from './provider/user-agent.ts';

export type Metadata = Readonly<Record<string, unknown>>;
export type AnswerMode = 'query' | 'form_post';

/** One run of a module: a client with a new browser, at a provider. */
export interface Party {
  readonly judge: Judge;
  readonly provider: Provider;
  readonly mode: AnswerMode;
  readonly metadata: Metadata;
  readonly keys: readonly JWK[];
  readonly keyOf: ReturnType<typeof createLocalJWKSet>;
  readonly client: RegisteredRp;
  readonly browser: UserAgent;
}

export interface Setting {
  readonly judge: Judge;
  readonly provider: Provider;
  readonly mode: AnswerMode;
}

/** Each module begins with the provider's metadata and keys. */
export async function prepare({ judge, provider, mode }: Setting): Promise<Party> {
  const discovery = await exchange(new URL(`${provider.issuer}/.well-known/openid-configuration`));
  const metadata = jsonOf(discovery);
  need(judge, discovery.status === 200 && metadata !== undefined, 'discovery answers a JSON object', shown(discovery));
  const keys = keysOf(await fetchJwks(judge, metadata));
  need(judge, keys.length > 0, 'the key set has keys');
  checkKeys(judge, keys);
  const keyOf = createLocalJWKSet({ keys: [...keys] });
  return { judge, provider, mode, metadata, keys, keyOf, client, browser: userAgent() };
}

async function fetchJwks(judge: Judge, metadata: Metadata): Promise<Answer> {
  const { jwks_uri: uri } = metadata;
  need(judge, typeof uri === 'string' && URL.canParse(uri), 'the metadata has a jwks_uri', uri);
  const answer = await exchange(new URL(uri));
  need(judge, answer.status === 200, 'jwks_uri answers 200', shown(answer));
  return answer;
}

function keysOf(answer: Answer): readonly JWK[] {
  const keys = jsonOf(answer)?.keys;
  return Array.isArray(keys) ? keys : [];
}

/** An endpoint of the metadata. */
export function endpointOf({ judge, metadata }: Party, name: string): URL {
  const value = metadata[name];
  need(judge, typeof value === 'string' && URL.canParse(value), `the metadata has ${name}`, value);
  return new URL(value);
}

/** Does the provider list this value? */
export function lists(metadata: Metadata, member: string, value: string): boolean {
  const values = metadata[member];
  return Array.isArray(values) && values.includes(value);
}

/** NumericDate. */
export function nowAt({ provider }: Party): number {
  return Math.floor(provider.clock.now() / 1000);
}
