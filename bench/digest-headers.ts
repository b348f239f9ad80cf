import { formatDigest, type Protection } from '../src/http-auth/digest.ts';
import { digestResponse, storedHash } from '../src/http-auth/digest-response.ts';
import { parseParameters } from '../src/http-auth/parameters.ts';
import { splitCredentials } from '../src/http-auth/scheme.ts';
import { alice, REALM } from './http-auth-place.ts';

/** Clients. The counts of each must arrive in order, so many other requests are between two requests of one client. */
const NONCES = 500;

export interface DigestWanted {
  readonly origin: string;
  readonly uri: string;
  readonly algorithm: 'SHA-256' | 'MD5';
  readonly count: number;
}

/** Headers of clients that take turns, each with its own nonce and count (RFC 7616 §3.4.5). */
export async function digestHeaders({ origin, uri, algorithm, count }: DigestWanted): Promise<string[]> {
  const challenges: Challenge[] = [];
  for (let index = 0; index < NONCES; index++) challenges.push(await challengeOf(origin + uri));
  const ha1 = storedHash(algorithm, alice.name, REALM, alice.password);
  return Array.from({ length: count }, (_, index) => {
    const { nonce = '', opaque } = challenges[index % NONCES] ?? {};
    const nc = (Math.floor(index / NONCES) + 1).toString(16).padStart(8, '0');
    const protection: Protection = { qop: 'auth', nc };
    const said = { algorithm, nonce, cnonce: 'OWM4NDE2ZWVkZjE4NTQ3NQ==', protection, uri };
    const response = digestResponse({ ...said, ha1, method: 'GET' });
    return formatDigest({ ...said, username: alice.name, userhash: false, realm: REALM, response, opaque });
  });
}

interface Challenge {
  readonly nonce: string;
  readonly opaque: string | undefined;
}

async function challengeOf(url: string): Promise<Challenge> {
  const response = await fetch(url);
  await response.arrayBuffer();
  const [line = ''] = (response.headers.get('www-authenticate') ?? '').split(/, (?=Digest )/);
  const parsed = parseParameters(splitCredentials(line)?.rest ?? '');
  const nonce = parsed.kind === 'parameters' ? parsed.values.get('nonce') : undefined;
  if (parsed.kind !== 'parameters' || nonce === undefined) throw new Error(`${url}: no challenge of Digest`);
  return { nonce, opaque: parsed.values.get('opaque') };
}
