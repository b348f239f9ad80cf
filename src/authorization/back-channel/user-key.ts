import type { FastifyRequest } from 'fastify';
import { isLoopback } from '../../config/words/host.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { parseOAuthParameters } from '../../oauth/parameters.ts';
import { isUserKid, subjectHash, USER_KEY_PATH, type UserKeyMembers } from '../../oauth/user-key.ts';
import type { UserKeyRecord } from '../../storage/records/records.ts';
import { anyOrigin } from '../http/cors.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { sendDocument } from '../http/public-document.ts';
import { publishedJwk } from '../keys/user-keys.ts';
import type { Service } from '../service/service.ts';
import { authenticateClient } from './client-auth.ts';
import { gatherLookups } from './gathered-lookups.ts';

/** A JWK Set with one user's key, found by its `kid`. A malformed name is refused without asking the store. */
export function userKeyEndpoint(service: Service): Endpoint {
  const find = gatherLookups(service.records);
  const isSecret = service.config.signing.alg === 'HS256';
  return {
    name: 'user_key',
    method: 'GET',
    paths: [USER_KEY_PATH],
    parameter: 'kid',
    ...(isSecret ? {} : { cors: anyOrigin }),
    async handle(request, reply) {
      const { kid } = request.params as { readonly kid: string };
      if (isSecret) await requireTrusted(service, request);
      const record = isUserKid(kid) ? await find(kid) : undefined;
      if (record === undefined || isSecretKey(record) !== isSecret) throw new OAuthError('unknown_key');
      const keys = { keys: [{ ...publishedJwk(record), ...members(service, record) }] };
      return sendDocument(request, reply, keys, `${isSecret ? 'private' : 'public'}, max-age=30`);
    },
  };
}

/** A key from the time of `signing.alg: HS256` stays secret, even if clients need no authentication now. */
function isSecretKey({ publicJwk }: UserKeyRecord): boolean {
  return publicJwk === undefined;
}

function members({ config }: Service, { kid, alg, subject }: UserKeyRecord): UserKeyMembers {
  return { kid, alg, use: 'sig', sub_hash: subjectHash(config.issuer, subject) };
}

/** For HS256: anyone with the key can issue tokens for its user. */
async function requireTrusted(service: Service, request: FastifyRequest): Promise<void> {
  if (!isPrivate(request)) throw new OAuthError('key_in_clear');
  const client = await authenticateClient(service, request, parseOAuthParameters('', { aliases: false }));
  if (!client.keys || client.isPublic) throw new OAuthError('keys_refused');
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-for'];

/**
 * True over TLS, as a trusted proxy reports it, or from this machine itself. A proxy on this machine does not count, because
 * anyone may be behind it.
 */
function isPrivate({ protocol, ip, headers }: FastifyRequest): boolean {
  if (protocol === 'https') return true;
  return isLoopback(ip.replace(/^::ffff:/i, '')) && FORWARDED.every((name) => headers[name] === undefined);
}
