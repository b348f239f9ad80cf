import { parseJsonObject } from '../../jwt/json.ts';
import { type ClientMetadata, judgeMetadata } from '../clients/self-described.ts';
import type { Answered } from '../outbound/outbound.ts';

export type ReadDocument =
  | { readonly kind: 'read'; readonly metadata: ClientMetadata }
  | { readonly kind: 'refused'; readonly reason: string };

/** A client cannot share a secret by a public document. */
const forbidden = ['client_secret', 'client_secret_expires_at'];

/**
 * Client ID Metadata Document §4: JSON, for exactly this id, without a secret. `scope`: the client gets at most this. A
 * document without a method has no keys that prove who its client is, so the client is public.
 */
export function readMetadataDocument(
  id: string,
  { headers, body }: Pick<Answered, 'headers' | 'body'>,
  scope: readonly string[],
): ReadDocument {
  if (!isJson(headers['content-type'])) return refused('its Content-Type is not application/json');
  const said = parseJsonObject(body);
  if (said === undefined) return refused('it is not one JSON object in UTF-8, or an object in it repeats a name');
  if (said.client_id !== id) return refused('its client_id is not the URL of the document');
  const secret = forbidden.find((name) => Object.hasOwn(said, name));
  if (secret !== undefined) return refused(`it has a ${secret}`);
  const judged = judgeMetadata(said, { needsName: true, methods: ['none', 'private_key_jwt'], scope });
  return judged.kind === 'refused' ? refused(judged.reason) : { kind: 'read', metadata: judged.metadata };
}

function refused(reason: string): ReadDocument {
  return { kind: 'refused', reason };
}

/** RFC 6839 §3.1: a suffix for types that are JSON. */
function isJson(type: string | readonly string[] | undefined): boolean {
  return typeof type === 'string' && /^application\/(?:[\w.!#$&^-]+\+)?json[ \t]*(?:;|$)/i.test(type);
}
