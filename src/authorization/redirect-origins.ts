import type { Client } from './clients.ts';
import type { Service } from './service.ts';

/** Whether some client has a redirect address of this origin. */
export type KnowsOrigin = (origin: string) => Promise<boolean>;

/** Milliseconds for which the clients of the store are not asked for again. */
const KEPT = 5_000;

/** RFC 6454 §4: a private-use scheme has no origin, and a page cannot come from there. */
export function originsOf({ redirectUris }: Pick<Client, 'redirectUris'>): ReadonlySet<string> {
  return new Set(redirectUris.map((uri) => URL.parse(uri)?.origin).filter(isOrigin));
}

/** Of the clients that are `meant`. While the store is down, those that were known before. */
export function knowOrigins(
  { clients, clock }: Pick<Service, 'clients' | 'clock'>,
  meant: (client: Client) => boolean = () => true,
): KnowsOrigin {
  let known: ReadonlySet<string> = new Set();
  let asked: Promise<ReadonlySet<string>> = Promise.resolve(known);
  let until = Number.NEGATIVE_INFINITY;
  const ask = async () => new Set((await clients.list()).filter(meant).flatMap((client) => [...originsOf(client)]));
  return async (origin) => {
    if (clock.now() >= until) {
      until = clock.now() + KEPT;
      asked = ask().catch(() => known);
    }
    known = await asked;
    return known.has(origin);
  };
}

function isOrigin(origin: string | undefined): origin is string {
  return origin !== undefined && /^https?:/.test(origin);
}
