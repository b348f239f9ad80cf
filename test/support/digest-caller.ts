import { formatDigest } from '../../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../../src/http-auth/digest-response.ts';

/** The only user of these flows. */
export const caller = { name: 'alice', realm: 'r', password: 'wonderland' } as const;

export interface DigestAnswer {
  readonly status: number;
  /** Of a refusal or an outage. */
  readonly code: string | undefined;
  readonly stale: boolean;
  readonly retryAfter: string | null;
}

/** The nonce of a new challenge. */
export async function nonceOf(url: string): Promise<string> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return /nonce="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1] ?? '';
}

/** Credentials for a GET of the path at this count, with the right password by default. */
export function credentialsFor(path: string, nonce: string, count: number, password: string = caller.password): string {
  const ha1 = storedHash('SHA-256', caller.name, caller.realm, password);
  const protection = { qop: 'auth', nc: count.toString(16).padStart(8, '0') } as const;
  const said = { nonce, uri: path, cnonce: 'c', protection, algorithm: 'SHA-256' } as const;
  const response = digestResponse({ ...said, ha1, method: 'GET' });
  return formatDigest({
    ...said,
    username: caller.name,
    userhash: false,
    realm: caller.realm,
    response,
    opaque: undefined,
  });
}

/** `connection`: `close` for a separate connection, so that each request may come to another worker. */
export async function ask(
  url: string,
  authorization: string,
  connection: 'keep-alive' | 'close' = 'keep-alive',
): Promise<DigestAnswer> {
  const answer = await fetch(url, { headers: { authorization, connection } });
  const { status, headers } = answer;
  const text = await answer.text();
  return {
    status,
    code: status === 200 ? undefined : String(JSON.parse(text).code),
    stale: /stale=true/.test(headers.get('www-authenticate') ?? ''),
    retryAfter: headers.get('retry-after'),
  };
}

export interface DigestOptions {
  readonly count?: number;
  readonly password?: string;
  /** false: each request on a separate connection. */
  readonly keep?: boolean;
}

export function sendDigest(
  url: string,
  nonce: string,
  { count = 1, password, keep = false }: DigestOptions = {},
): Promise<DigestAnswer> {
  const credentials = credentialsFor(new URL(url).pathname, nonce, count, password);
  return ask(url, credentials, keep ? 'keep-alive' : 'close');
}

/** Processes every item, several at a time, beginning them in order. */
export async function inTurn<Item, Result>(
  items: readonly Item[],
  each: (item: Item, index: number) => Promise<Result>,
  atOnce = 32,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async () => {
    for (const [index, item] of rest) results[index] = await each(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
