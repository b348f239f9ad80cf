import { Agent } from 'undici';
import { systemClock } from '../../base/clock.ts';
import { jsonFetcher } from '../../gateway/server-client/fetch-json.ts';
import { metadata } from '../../gateway/server-client/metadata.ts';
import { connectOptions } from '../../gateway/server-client/trust.ts';

/** The metadata of an issuer (RFC 8414). `wrong`: they belong to another issuer. */
export type FoundIssuer =
  | { readonly kind: 'found'; readonly keys: string; readonly introspection: string | undefined }
  | { readonly kind: 'wrong' | 'unreachable'; readonly detail: string };

/** Asks in the same way as the gateway. Never rejects. */
export async function findIssuer(issuer: string): Promise<FoundIssuer> {
  const agent = new Agent({ connect: connectOptions({ kind: 'system' }) });
  try {
    const fetch = jsonFetcher(agent);
    const about = metadata({ issuer, development: false, fetch, clock: systemClock, ttl: 60_000 });
    const keys = await about.endpoint('jwks_uri');
    if (typeof keys !== 'string')
      return { kind: keys.fault === 'issuer' ? 'wrong' : 'unreachable', detail: keys.detail };
    const introspection = await about.endpoint('introspection_endpoint');
    return { kind: 'found', keys, introspection: typeof introspection === 'string' ? introspection : undefined };
  } finally {
    await agent.destroy();
  }
}
