import type { FastifyRequest } from 'fastify';
import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { Parameters } from '../../oauth/parameters.ts';
import { formatScope, scopeList } from '../../oauth/scope.ts';
import type { CodeClaim, CodeRecord, CodeRefusal, SessionKeyRecord } from '../../storage/records/records.ts';
import { authenticateClient } from '../back-channel/client-auth.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import { refusedCode } from '../grants/refused-code.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { readForm, readFormOrQuery } from '../http/form.ts';
import { limitClient } from '../http/issuing-limit.ts';
import { pairwiseName } from '../openid/pairwise-name.ts';
import type { Service } from '../service/service.ts';
import { stillRegistered } from '../tokens/granted.ts';
import { makeSessionKey, type NewSessionKey } from '../tokens/session-key.ts';
import { sessionErrors } from './errcode.ts';
import { requireSessionClient } from './session-client.ts';

export interface SessionResponse {
  readonly session_key: string;
  /** The user's name, which differs for each client. */
  readonly openid: string;
  readonly expires_in: number;
  readonly scope: string;
}

/**
 * Exchanges a code for a session key, without a browser and without an access token. Old applications of this exchange send
 * everything in the query, which RFC 6749 §2.3.1 forbids. `session.allow_query` permits it here.
 */
export function sessionEndpoints(service: Service): readonly Endpoint[] {
  const row = {
    name: 'session',
    paths: ['/oauth2/session'],
    headers: { 'referrer-policy': 'no-referrer' },
    ...sessionErrors(service),
    handle: (request: FastifyRequest) => exchange(service, request),
  };
  const post = { ...row, method: 'POST' } as const;
  return service.config.session.allow_query ? [{ ...row, method: 'GET', head: false }, post] : [post];
}

const options = {
  moreAliases: new Map([
    ['secret', 'client_secret'],
    ['js_code', 'code'],
  ]),
};

async function exchange(service: Service, request: FastifyRequest): Promise<SessionResponse> {
  const read = service.config.session.allow_query ? readFormOrQuery : readForm;
  const parameters = read(service, request, options);
  const client = requireSessionClient(await authenticateClient(service, request, parameters));
  if (parameters.require('grant_type') !== 'authorization_code') throw new OAuthError('unsupported_grant_type');
  await limitClient(service, client, request);
  const claim = claimOf(service, client, parameters);
  const code = await service.records.findCode(claim.hash);
  const isMeant = code?.clientId === claim.clientId && code.use === claim.use;
  const made = makeSessionKey();
  const record = isMeant ? await sessionKeyRecord(service, { client, code, made }) : undefined;
  const refuse = (refusal: CodeRefusal) => refusedCode({ client, caller: request }, service, { refusal, code });
  if (record === undefined) throw refuse(await service.records.refuseCode(claim));
  const redemption = await service.records.redeemSessionCode(claim, record);
  if (redemption !== 'redeemed') throw refuse(redemption);
  const { openid, scope, issuedAt, expiresAt } = record;
  return { session_key: made.text, openid, expires_in: expiresAt - issuedAt, scope };
}

function claimOf({ clock }: Service, client: RegisteredClient, parameters: Parameters): CodeClaim {
  return {
    hash: sha256(parameters.require('code')),
    use: 'session',
    clientId: client.id,
    redirectUri: undefined,
    challenge: undefined,
    now: seconds(clock),
  };
}

interface Made {
  readonly client: RegisteredClient;
  readonly code: CodeRecord;
  readonly made: NewSessionKey;
}

/** The record to store if the code is valid, which the store checks. Undefined: the user no longer exists. */
async function sessionKeyRecord(
  { accounts, clock, config, secrets }: Service,
  { client, code, made: { key, hash } }: Made,
): Promise<SessionKeyRecord | undefined> {
  const account = await accounts.bySubject(code.subject);
  if (account === undefined) return undefined;
  const { subject, username } = account;
  const issuedAt = seconds(clock);
  return {
    clientId: client.id,
    subject,
    username,
    openid: pairwiseName(secrets.pairwise, { sector: client.id, subject }),
    scope: formatScope(stillRegistered(scopeList(code.scope), client.scope)),
    key,
    hash,
    issuedAt,
    expiresAt: issuedAt + Math.floor(config.tokens.session_key.ttl / 1000),
  };
}
