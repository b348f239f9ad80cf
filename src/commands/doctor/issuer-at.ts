import { Agent } from 'undici';
import { jsonFetcher } from '../../gateway/verify/fetch-json.ts';
import { metadata } from '../../gateway/verify/metadata.ts';
import type { Around } from './subject.ts';

export interface IssuerQuestion {
  readonly issuer: string;
  readonly development: boolean;
  /** Another origin that is asked in place of that of the issuer. */
  readonly at?: string;
}

/** Why whoever is asked is not the issuer (RFC 8414 §3.3), as gateways judge it; undefined: it is. */
export async function issuerAt(
  { issuer, development, at }: IssuerQuestion,
  { clock, opened }: Pick<Around, 'clock' | 'opened'>,
): Promise<string | undefined> {
  const agent = opened.adopt(new Agent(), (each) => each.destroy());
  const ask = jsonFetcher(agent);
  const fetch: typeof ask = (wanted) => ask(at === undefined ? wanted : { ...wanted, url: moved(wanted.url, at) });
  const about = metadata({ issuer, development, fetch, clock, ttl: 0 });
  const found = await about.endpoint('jwks_uri');
  return typeof found === 'string' ? undefined : found.detail;
}

function moved(url: string, origin: string): string {
  const { pathname, search } = new URL(url);
  return `${origin}${pathname}${search}`;
}
