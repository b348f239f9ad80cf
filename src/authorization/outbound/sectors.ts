import { LRUCache } from 'lru-cache';
import { OAuthError } from '../../oauth/errors.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Outbound } from './outbound.ts';

type Member = Pick<RegisteredClient, 'sectorIdentifierUri' | 'redirectUris'>;

/** Checks that the document at `sector_identifier_uri` lists the redirect addresses of a client (OpenID Connect Core §8.1). */
export interface Sectors {
  /** Rejects with an `OAuthError` if the document cannot be read, or does not list all addresses. */
  verify(client: Member): Promise<void>;
}

/** Milliseconds for which a document is remembered, and for which a failure is remembered. */
const KEPT = { read: 3_600_000, failed: 60_000 };

type Document = { readonly uris: readonly unknown[] } | { readonly fault: string };

export function buildSectors(outbound: Pick<Outbound, 'get'>, kept = KEPT): Sectors {
  const documents = new LRUCache<string, Document>({
    max: 1_000,
    fetchMethod: async (uri, before, { options }) => {
      const document = await read(outbound, uri);
      options.ttl = 'fault' in document ? kept.failed : kept.read;
      // A document that was read stays valid while its server fails. Otherwise, no user could log in at the client.
      return 'fault' in document && before !== undefined ? before : document;
    },
  });
  return {
    async verify({ sectorIdentifierUri: uri, redirectUris }) {
      if (uri === undefined) return;
      const document = (await documents.fetch(uri)) ?? { fault: 'no answer' };
      if ('fault' in document) throw new OAuthError('temporarily_unavailable', { detail: `${uri}: ${document.fault}` });
      if (redirectUris.every((each) => document.uris.includes(each))) return;
      const description = 'The sector_identifier_uri does not list all redirect addresses of the client.';
      throw new OAuthError('invalid_request', { description });
    },
  };
}

async function read(outbound: Pick<Outbound, 'get'>, uri: string): Promise<Document> {
  const outcome = await outbound.get(uri);
  if (outcome.kind !== 'answered') return { fault: outcome.reason };
  if (outcome.status !== 200) return { fault: `status ${outcome.status}` };
  const uris = parsed(Buffer.from(outcome.body).toString());
  return Array.isArray(uris) ? { uris } : { fault: 'not a JSON array' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
