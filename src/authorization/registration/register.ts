import type { FastifyReply, FastifyRequest } from 'fastify';
import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import type { ClientRecord } from '../../storage/records/records.ts';
import { newClientId, newClientSecret } from '../clients/new-client.ts';
import type { ClientMetadata } from '../clients/self-described.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import type { Service } from '../service/service.ts';
import { makeOpaqueToken, tokenPrefixes } from '../tokens/opaque-token.ts';
import { requireInitialToken } from './initial-access.ts';
import { informationOf, REGISTRATION_PATH, registrable, storedMetadata } from './metadata.ts';
import { limitRegistrations } from './registration-limit.ts';

/** RFC 7591 §3. */
export function registerEndpoint(service: Service): Endpoint {
  return {
    name: 'register',
    method: 'POST',
    body: 'json',
    paths: [REGISTRATION_PATH],
    async handle(request, reply) {
      const sponsor = await requireInitialToken(service, request);
      const metadata = await registrable(service, readJson(request));
      await limitRegistrations(service, request);
      return register(service, { request, reply, metadata, sponsor });
    },
  };
}

interface Registering {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly metadata: ClientMetadata;
  /** The client of the initial access token. */
  readonly sponsor: string | undefined;
}

async function register(service: Service, { request, reply, metadata, sponsor }: Registering): Promise<FastifyReply> {
  const token = makeOpaqueToken(tokenPrefixes.registration);
  const secret = metadata.token_endpoint_auth_method.startsWith('client_secret') ? newClientSecret() : undefined;
  const record = recordOf(metadata, { token, secret, now: seconds(service.clock) });
  // With 100 random bits, a taken id is a fault of the store.
  if (!(await service.records.addClient(record))) throw new Error(`the client id ${record.id} is taken`);
  request.clientId = record.id;
  const facts = { client_id: record.id, address: request.ip, request_id: request.id };
  service.audit.record('client_registered', { ...facts, ...(sponsor !== undefined && { detail: `by ${sponsor}` }) });
  return reply.code(201).send(informationOf(service, { record, token, secret }));
}

interface Made {
  readonly token: string;
  readonly secret: string | undefined;
  readonly now: number;
}

function recordOf(metadata: ClientMetadata, { token, secret, now }: Made): ClientRecord {
  return {
    id: newClientId(),
    metadata: storedMetadata(metadata),
    secrets: secret === undefined ? [] : [{ hash: sha256(secret), createdAt: now, expiresAt: undefined }],
    createdAt: now,
    registration: { tokenHash: sha256(token), usedAt: now },
  };
}
