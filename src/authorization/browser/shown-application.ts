import { isLoopback } from '../../config/words/host.ts';
import { isSelfMade, type RegisteredClient } from '../clients/clients.ts';
import type { Application } from '../pages/pages.ts';
import type { Addressed } from './authorization-request.ts';

/** The application as the pages name it. */
export function shownApplication({ client, redirectUri }: Pick<Addressed, 'client' | 'redirectUri'>): Application {
  const { name } = client;
  if (!isSelfMade(client)) return { name, redirectUri };
  return { name, redirectUri, origin: originOf(client), isLocalOnly: client.redirectUris.every(isLocal) };
}

function originOf({ id, source }: RegisteredClient): NonNullable<Application['origin']> {
  return source === 'document' ? { kind: 'document', host: new URL(id).host } : { kind: 'itself' };
}

function isLocal(uri: string): boolean {
  return isLoopback(URL.parse(uri)?.hostname ?? '');
}
