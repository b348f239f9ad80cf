import { sectorHost } from '../../config/words/sector-host.ts';
import { isSelfMade, type RegisteredClient } from '../clients/clients.ts';
import type { Service } from '../service/service.ts';
import { pairwiseName } from './pairwise-name.ts';

type Seeing = Pick<RegisteredClient, 'id' | 'source' | 'subjectType' | 'sectorIdentifierUri' | 'redirectUris'>;

/** The user's `sub` as this client sees it (OpenID Connect Core §8). */
export function subjectFor({ config, secrets }: Pick<Service, 'config' | 'secrets'>, client: Seeing, subject: string) {
  if (!isPairwise({ config }, client)) return subject;
  return pairwiseName(secrets.pairwise, { sector: sectorOf(client), subject });
}

export function isPairwise({ config }: Pick<Service, 'config'>, { subjectType }: Pick<Seeing, 'subjectType'>): boolean {
  return (subjectType ?? config.openid.subject) === 'pairwise';
}

/**
 * OpenID Connect Core §8.1: the host, without its port. An app has no host, so it is its own sector. A client that describes
 * itself is too, because it can list the address of any host.
 */
function sectorOf({ id, source, sectorIdentifierUri: uri, redirectUris: [first = ''] }: Seeing): string {
  if (isSelfMade({ source })) return `client ${id}`;
  const host = uri === undefined ? sectorHost(first) : URL.parse(uri)?.hostname;
  return host === undefined ? `client ${id}` : `host ${host}`;
}
