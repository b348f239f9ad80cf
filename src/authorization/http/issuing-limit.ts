import type { FastifyRequest } from 'fastify';
import { addressBlock } from '../../base/client-address.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { Account } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import type { AuditFacts } from '../telemetry/audit.ts';

type Caller = Pick<FastifyRequest, 'ip' | 'id'>;

/** Milliseconds. */
const MINUTE = 60_000;

/** A session is one browser of one person, and needs fewer requests than a machine. It gets this fraction of the limit. */
const PART_OF_SESSION = 20;

/**
 * Counts one more request of an authenticated client from its address. Runs before the grant is read, so a rejected request
 * keeps its code or refresh token. Runs after client authentication, so that no other client can use up the limit.
 */
export function limitClient(service: Service, { id }: RegisteredClient, caller: Caller): Promise<void> {
  const whom = [id, addressBlock(caller.ip)];
  const facts = { client_id: id, address: caller.ip, request_id: caller.id };
  return take(service, { of: 'address', whom, most: service.config.tokens.max_a_minute, facts });
}

export interface SignedIn {
  readonly account: Account;
  /** The hash of the session. */
  readonly session: Uint8Array;
}

/** Counts one more code of a session for a client. Each client of the session has its own count. */
export function limitSession(
  service: Service,
  { account, session }: SignedIn,
  { client, caller }: { readonly client: RegisteredClient; readonly caller: Caller },
): Promise<void> {
  const { subject: sub, username } = account;
  const whom = [client.id, Buffer.from(session).toString('base64url')];
  const facts = { client_id: client.id, sub, username, address: caller.ip, request_id: caller.id };
  const most = Math.ceil(service.config.tokens.max_a_minute / PART_OF_SESSION);
  return take(service, { of: 'session', whom, most, facts });
}

interface Taken {
  readonly of: 'address' | 'session';
  readonly whom: readonly string[];
  /** Requests in a minute; 0: no limit. */
  readonly most: number;
  readonly facts: AuditFacts;
}

/** RFC 6585 §4. */
async function take({ counters, audit }: Service, { of, whom, most, facts }: Taken): Promise<void> {
  if (most === 0) return;
  const wait = await counters.take(`issuing\n${JSON.stringify([of, ...whom])}`, { requests: most, window: MINUTE });
  if (wait === 0) return;
  audit.count('client_limited', { ...facts, detail: of });
  throw new OAuthError('too_many_requests', { headers: { 'retry-after': String(Math.ceil(wait / 1000)) } });
}
