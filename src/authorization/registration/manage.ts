import type { FastifyReply, FastifyRequest } from 'fastify';
import { seconds } from '../../base/clock.ts';
import { sameBytes, sha256 } from '../../base/secret.ts';
import type { ClientAuthMethod } from '../../config/words/client-auth-methods.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { ClientRecord } from '../../storage/records/records.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readJson } from '../http/json-body.ts';
import type { Service } from '../service/service.ts';
import { longestLife } from '../tokens/client-revocation.ts';
import { bearerOf, wrongToken } from './initial-access.ts';
import { informationOf, REGISTRATION_PATH, registrable, storedMetadata } from './metadata.ts';
import { limitManagement } from './registration-limit.ts';

/** RFC 7592 §2: a client reads, changes and removes its own registration. */
export function manageEndpoints(service: Service): readonly Endpoint[] {
  const row = { name: 'registration', paths: [REGISTRATION_PATH], parameter: 'client_id' } as const;
  return [
    { ...row, method: 'GET', head: false, handle: (request) => read(service, request) },
    { ...row, method: 'PUT', body: 'json', handle: (request) => change(service, request) },
    { ...row, method: 'DELETE', handle: (request, reply) => remove(service, request, reply) },
  ];
}

interface Managed {
  readonly record: ClientRecord;
  readonly token: string;
}

/** RFC 7592 §2.1: 401 for a wrong token, and for a client that is gone. */
async function managed(service: Service, request: FastifyRequest): Promise<Managed> {
  const { client_id: id } = request.params as { readonly client_id: string };
  const token = bearerOf(request);
  if (token === undefined) throw wrongToken(service, undefined);
  const record = await service.records.findClient(id, seconds(service.clock));
  const isRight = sameBytes(sha256(token), record?.registration?.tokenHash ?? noToken);
  if (record === undefined || !isRight) throw wrongToken(service, 'invalid_token');
  request.clientId = id;
  await limitManagement(service, id, request);
  return { record, token };
}

const noToken = new Uint8Array(32);

async function read(service: Service, request: FastifyRequest): Promise<object> {
  return informationOf(service, await managed(service, request));
}

/** Replaces all metadata. The method stays, because a secret or its absence is part of the registration. */
async function change(service: Service, request: FastifyRequest): Promise<object> {
  const { record, token } = await managed(service, request);
  const said = readJson(request);
  refuseForeign(said, record);
  const method = record.metadata.token_endpoint_auth_method as ClientAuthMethod;
  const metadata = storedMetadata(await registrable(service, said, [method]));
  if (!(await service.records.changeRegistration({ id: record.id, tokenHash: sha256(token), metadata })))
    throw wrongToken(service, 'invalid_token');
  service.audit.record('client_changed', factsOf(record, request));
  return informationOf(service, { record: { ...record, metadata }, token });
}

/** RFC 7592 §2.2: members of an answer that a request must not have. */
const answered = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
];

function refuseForeign(said: JsonObject, { id, secrets }: ClientRecord): void {
  const extra = answered.find((name) => Object.hasOwn(said, name));
  if (extra !== undefined) throw wrong(`The request must not have ${extra}.`);
  if (said.client_id !== id) throw wrong('client_id is not the id of this registration.');
  if (said.client_secret === undefined) return;
  const shown = sha256(String(said.client_secret));
  if (!secrets.some(({ hash }) => sameBytes(shown, hash))) throw wrong('client_secret is not the current secret.');
}

function wrong(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { description });
}

/** Everything that the client got ends too. */
async function remove(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { record } = await managed(service, request);
  await service.records.removeClient(record.id, seconds(service.clock), longestLife(service.config));
  service.audit.record('client_removed', { ...factsOf(record, request), detail: 'by itself' });
  return reply.code(204).send();
}

function factsOf({ id }: ClientRecord, request: FastifyRequest) {
  return { client_id: id, address: request.ip, request_id: request.id };
}
