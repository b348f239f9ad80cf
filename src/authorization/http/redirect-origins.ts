import type { RegisteredClient } from '../clients/clients.ts';
import type { RecentClients } from '../clients/recent-clients.ts';

/** True if a client has a redirect address of this origin. */
export type KnowsOrigin = (origin: string) => Promise<boolean>;

/** RFC 6454 §4: a private-use scheme has no origin, so no page can have it. */
export function originsOf({ redirectUris }: Pick<RegisteredClient, 'redirectUris'>): ReadonlySet<string> {
  return new Set(redirectUris.map((uri) => URL.parse(uri)?.origin).filter(isOrigin));
}

/** The origins of the matching clients. If the clients cannot be read, there are none. */
export function knowOrigins(
  { recentClients }: { readonly recentClients: RecentClients },
  meant: (client: RegisteredClient) => boolean = () => true,
): KnowsOrigin {
  let looked: readonly RegisteredClient[] = [];
  let known: ReadonlySet<string> = new Set();
  return async (origin) => {
    const clients = await recentClients().catch(() => looked);
    if (clients !== looked) known = new Set(clients.filter(meant).flatMap((client) => [...originsOf(client)]));
    looked = clients;
    return known.has(origin);
  };
}

function isOrigin(origin: string | undefined): origin is string {
  return origin !== undefined && /^https?:/.test(origin);
}
