import type { FastifyRequest } from 'fastify';
import { addressBlock } from '../../base/address-block.ts';
import type { Outage } from '../../base/verdict.ts';
import { OAuthError } from '../../oauth/errors.ts';
import { StorageUnavailable } from '../../storage/errors.ts';
import type { AuditEvent } from '../audit.ts';
import type { Service } from '../service.ts';
import type { Account } from './accounts.ts';

/** A name and a password as they were typed, and where. */
export interface Typed {
  readonly username: string;
  readonly password: string;
  readonly caller: Pick<FastifyRequest, 'ip' | 'id' | 'log'>;
  /** The client that the login is for, where there is one. */
  readonly clientId: string | undefined;
}

export type UserAuthentication =
  | { readonly kind: 'authenticated'; readonly account: Account }
  /** An unknown user and a wrong password are one thing, and take the same time. */
  | { readonly kind: 'refused' }
  /** Seconds. */
  | { readonly kind: 'throttled'; readonly retryAfter: number }
  | Outage;

/** The one place where a password is judged: throttled by user and address, and told to the audit log. */
export async function authenticateUser(service: Service, typed: Typed): Promise<UserAuthentication> {
  const account = await service.accounts.find(typed.username);
  const outcome = await judge(service, typed, account);
  const event = outcome.kind === 'outage' ? undefined : events[outcome.kind];
  if (event !== undefined) record(service, event, typed, account);
  if (outcome.kind === 'authenticated' && outcome.needsRehash) await rehash(service, outcome.account, typed);
  return outcome;
}

type Judged = Exclude<UserAuthentication, { kind: 'authenticated' }> | Authenticated;

interface Authenticated {
  readonly kind: 'authenticated';
  readonly account: Account;
  readonly needsRehash: boolean;
}

async function judge(service: Service, typed: Typed, account: Account | undefined): Promise<Judged> {
  const { username, password, caller } = typed;
  const attempt = await service.loginAttempts.begin(username, caller.ip);
  if (attempt.retryAfter !== undefined) return { kind: 'throttled', retryAfter: attempt.retryAfter };
  const verdict = await service.passwords.verify(account?.passwordHash, password, addressBlock(caller.ip));
  if (verdict.kind === 'outage') return verdict;
  // what was typed at the same time counts too: of a burst of guesses no more are looked at than one after another
  const { retryAfter } = await service.loginAttempts.begin(username, caller.ip);
  if (retryAfter !== undefined) return { kind: 'throttled', retryAfter };
  if (verdict.kind === 'matches' && account !== undefined)
    return { kind: 'authenticated', account, needsRehash: verdict.needsRehash && !account.inFile };
  await attempt.fail();
  if (verdict.kind === 'refused' && verdict.code === 'unusable_hash')
    caller.log.error({ sub: account?.subject, detail: verdict.detail }, 'the hash of a password cannot be used');
  return { kind: 'refused' };
}

const events = {
  authenticated: 'login',
  refused: 'login_failed',
  throttled: 'login_throttled',
} as const satisfies Record<string, AuditEvent>;

/** Of a name that nobody has nothing is kept: it may be a password that was typed into the wrong field. */
function record(
  { audit }: Service,
  event: AuditEvent,
  { caller, clientId }: Typed,
  account: Account | undefined,
): void {
  audit.record(event, {
    sub: account?.subject,
    username: account?.username,
    client_id: clientId,
    address: caller.ip,
    request_id: caller.id,
  });
}

/** The only moment at which a stronger hash can be made. Where it cannot be kept, the login was right all the same. */
async function rehash({ passwords, records }: Service, account: Account, { password, caller }: Typed): Promise<void> {
  const hashed = await passwords.hash(password);
  if (hashed.kind !== 'hashed') return;
  try {
    await records.rehashPassword(account.subject, account.passwordHash, hashed.phc);
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    caller.log.warn({ err: error, sub: account.subject }, 'a stronger hash of a password could not be kept');
  }
}

/** RFC 6749 §5.2 for what became of a login where no page can say it. */
export function authenticatedAccount(outcome: UserAuthentication): Account {
  if (outcome.kind === 'authenticated') return outcome.account;
  if (outcome.kind === 'refused')
    throw new OAuthError('invalid_grant', { description: 'The username or the password is wrong.' });
  const headers = { 'retry-after': String(outcome.retryAfter) };
  if (outcome.kind === 'throttled') throw new OAuthError('too_many_attempts', { headers });
  throw new OAuthError('temporarily_unavailable', { headers, detail: outcome.dependency });
}
