/** How the authorization service learns who a client is. */
export type Registration =
  /** The operator wrote it into the file. */
  | { readonly by: 'operator'; readonly id: string }
  /** The client registers at the service (RFC 7591). */
  | { readonly by: 'client' }
  /** The id is the address of a document that describes the client. */
  | { readonly by: 'document'; readonly url: string };

export const registered = { by: 'operator', id: 'agent' } as const;

/** A client cannot know its port in advance, so the service ignores the port of a loopback address (RFC 8252 §7.3). */
export const callbackPath = '/callback';

export const clientName = 'An agent';
