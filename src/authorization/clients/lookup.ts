import type { RegisteredClient } from './registered-client.ts';

/**
 * A client, or why there is none. `refused`: the client is at fault. `outage`: the host of the client is at fault.
 * `limited`: there are too many such requests now. Anyone may read `reason`; `detail` is for the log.
 */
export type ClientLookup =
  | { readonly kind: 'found'; readonly client: RegisteredClient }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly reason: string; readonly detail?: string }
  | { readonly kind: 'outage'; readonly reason: string; readonly detail?: string }
  | { readonly kind: 'limited'; readonly retryAfter: number };

/** Clients whose id is the URL of their metadata document. */
export interface DocumentClients {
  /** Without a request: as this process read the document last. If it has not, only what does not depend on the document. */
  glance(id: string): RegisteredClient | undefined;
  /** May request the document for this client address. `unknown`: the id names no document. */
  look(id: string, address: string): Promise<ClientLookup>;
}
