import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { type KeyRing, keyRing } from '../../jwt/key-ring.ts';
import { importKeys, type VerificationKey } from '../../jwt/keys.ts';
import type { JwsHeader } from '../../jwt/parse.ts';
import { assertionAlgorithms } from '../clients/assertion-algorithms.ts';
import { isSelfMade, type RegisteredClient } from '../clients/clients.ts';
import type { Answered, Outbound } from '../outbound/outbound.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { FetchLimits } from './fetch-limits.ts';
import { type DocumentLookup, RememberedDocuments } from './remembered-documents.ts';

export type KeyLookup = DocumentLookup<readonly VerificationKey[]>;

/** The public keys of clients that authenticate with a private key. */
export interface ClientKeys {
  /** The keys that may have signed for the client. `address`: of the caller, if the keys must be requested. */
  find(client: RegisteredClient, header: JwsHeader, address: string): Promise<KeyLookup>;
}

export interface ClientKeysDependencies {
  readonly registered: Pick<Outbound, 'get'>;
  readonly strangers: Pick<Outbound, 'get'>;
  /** For the key sets of strangers. */
  readonly limits: FetchLimits;
  readonly metrics: Pick<Metrics, 'documentRead'>;
  readonly clock: Clock;
}

/** Milliseconds. A removed key is accepted for at most `max_ttl`, while the host of the client does not answer. */
const KEPT = { ttl: 600_000, max_ttl: 3_600_000 } as const;
/** Bytes. */
const LARGEST = 64 * 1024;
const MOST_INLINE = 1_000;

export function buildClientKeys({ registered, strangers, limits, metrics, clock }: ClientKeysDependencies): ClientKeys {
  const count = (result: KeyLookup['kind']) => metrics.documentRead('keys', result);
  const shared = { ...KEPT, clock, largest: LARGEST, name: 'key set', count, read: readKeySet };
  const ofRegistered = new RememberedDocuments<KeyRing>({ ...shared, outbound: registered, limits: undefined });
  const ofStrangers = new RememberedDocuments<KeyRing>({ ...shared, outbound: strangers, limits });
  const inline = new LRUCache<string, KeyRing>({ max: MOST_INLINE });
  return {
    async find(client, header, address) {
      const { jwks, jwksUri } = client.assertionKeys ?? {};
      if (jwksUri === undefined) return { kind: 'read', value: candidates(await inlineRing(inline, jwks), header) };
      return remoteKeys(isSelfMade(client) ? ofStrangers : ofRegistered, { uri: jwksUri, header, address });
    },
  };
}

/** Importing keys is slow, and a stored client is read again for each request. */
async function inlineRing(inline: LRUCache<string, KeyRing>, jwks: unknown): Promise<KeyRing> {
  const name = sha256(JSON.stringify(jwks ?? null)).toString('base64url');
  const ring = inline.get(name) ?? keyRing((await importKeys(jwks, assertionAlgorithms))?.keys ?? []);
  inline.set(name, ring);
  return ring;
}

interface Wanted {
  readonly uri: string;
  readonly header: JwsHeader;
  readonly address: string;
}

/** A key with an unknown name may be new. */
async function remoteKeys(sets: RememberedDocuments<KeyRing>, { uri, header, address }: Wanted): Promise<KeyLookup> {
  const known = await sets.get(uri, address);
  if (known.kind !== 'read') return known;
  const found = candidates(known.value, header);
  if (found.length > 0) return { kind: 'read', value: found };
  const newer = await sets.getNewer(uri, address);
  return newer.kind === 'read' ? { kind: 'read', value: candidates(newer.value, header) } : newer;
}

function candidates(ring: KeyRing, { alg, kid }: JwsHeader): readonly VerificationKey[] {
  return ring.candidates(alg as AlgorithmName, kid);
}

async function readKeySet(_url: string, { body }: Answered): Promise<{ readonly value: KeyRing } | string> {
  const imported = await importKeys(parseJsonObject(body), assertionAlgorithms);
  if (imported === undefined) return 'it is not a key set';
  return imported.keys.length === 0 ? 'it has no usable public key' : { value: keyRing(imported.keys) };
}
