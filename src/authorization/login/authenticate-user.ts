import type { FastifyRequest } from 'fastify';
import type { Asker } from '../../base/bounded-queue.ts';
import { addressBlock } from '../../base/client-address.ts';
import type { Outage } from '../../base/verdict.ts';
import { OAuthError } from '../../oauth/errors.ts';
import type { Account } from '../people/accounts.ts';
import type { LoginAttempt } from '../people/login-attempts.ts';
import type { Service } from '../service/service.ts';
import type { AuditEvent } from '../telemetry/audit.ts';

/** The typed name and password, and where they came from. */
export interface Typed {
  readonly username: string;
  readonly password: string;
  readonly caller: Pick<FastifyRequest, 'ip' | 'id' | 'log'>;
  /** The client of the login, if there is one. */
  readonly clientId: string | undefined;
  /** The cookie that proves earlier logins in this browser. */
  readonly knownBrowser?: string | undefined;
}

export type UserAuthentication =
  | { readonly kind: 'authenticated'; readonly account: Account }
  /** An unknown user and a wrong password have the same result, and take the same time. */
  | { readonly kind: 'refused' }
  /** Seconds. `limit`: the limit that was reached. */
  | { readonly kind: 'throttled'; readonly retryAfter: number; readonly limit: LoginAttempt['limit'] }
  | Outage;

/** The only place that checks a password. It throttles by user and address, and records the result in the audit log. */
export async function authenticateUser(service: Service, typed: Typed): Promise<UserAuthentication> {
  const account = await service.accounts.find(typed.username);
  if (account !== undefined) service.decoys.met(account.passwordHash);
  const outcome = await judge(service, typed, account);
  const event = outcome.kind === 'outage' ? undefined : events[outcome.kind];
  const detail = outcome.kind === 'throttled' ? outcome.limit : undefined;
  if (event !== undefined) record(service, event, typed, account, detail);
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
  const { username, password, caller, knownBrowser } = typed;
  const browser = service.knownBrowsers.idFor(knownBrowser, account);
  const tried = { username, address: caller.ip, browser };
  const attempt = await service.loginAttempts.begin(tried);
  if (attempt.retryAfter !== undefined) return throttled(attempt);
  const decoy = service.decoys.costOf(username);
  const asker = askerOf(caller.ip, browser === undefined ? undefined : account);
  const verdict = await service.passwords.verify(account?.passwordHash, password, { asker, decoy });
  if (verdict.kind === 'outage') return verdict;
  // Attempts in flight count too, so parallel guesses get no more checks than sequential ones.
  const again = await service.loginAttempts.begin(tried);
  if (again.retryAfter !== undefined) return throttled(again);
  if (verdict.kind === 'matches' && account !== undefined) {
    await attempt.succeed();
    return { kind: 'authenticated', account, needsRehash: verdict.needsRehash && !account.inFile };
  }
  if (verdict.kind === 'refused' && verdict.code === 'unusable_hash')
    caller.log.error({ sub: account?.subject, detail: verdict.detail }, 'a password hash is unusable');
  return wrong(service, attempt, typed, account);
}

/** For an unknown name, the ceiling is not recorded: the name may be a password in the wrong field. */
async function wrong(
  service: Service,
  attempt: LoginAttempt,
  typed: Typed,
  account: Account | undefined,
): Promise<Judged> {
  const { reached, ...wait } = await attempt.fail();
  if (reached && account !== undefined) record(service, 'login_ceiling', typed, account);
  return wait.retryAfter === undefined ? { kind: 'refused' } : throttled(wait);
}

function throttled({ retryAfter = 1, limit }: Pick<LoginAttempt, 'retryAfter' | 'limit'>): Judged {
  return { kind: 'throttled', retryAfter, limit };
}

/** The largest part of the password queue for one address block, or one known account. */
const SHARE = 0.25;

/** A site may have a /48 (RFC 6177 §2). With a smaller block, one stranger would have 65,536 shares. */
function askerOf(address: string, known: Account | undefined): Asker {
  if (known !== undefined) return { block: known.subject, share: SHARE, isKnown: true };
  return { block: addressBlock(address, 48), share: SHARE };
}

const events = {
  authenticated: 'login',
  refused: 'login_failed',
  throttled: 'login_throttled',
} as const satisfies Record<string, AuditEvent>;

/** For an unknown name, nothing is logged: the name may be a password in the wrong field. */
function record(
  { audit }: Service,
  event: AuditEvent,
  { caller, clientId }: Typed,
  account: Account | undefined,
  detail?: string,
): void {
  const tell = event === events.throttled ? audit.count : audit.record;
  tell(event, {
    sub: account?.subject,
    username: account?.username,
    client_id: clientId,
    address: caller.ip,
    request_id: caller.id,
    detail,
  });
}

/** Only a login has the password that a stronger hash needs. If the new hash cannot be saved, the login still succeeds. */
async function rehash(
  { passwords, records, storeOutage }: Service,
  account: Account,
  { password, caller }: Typed,
): Promise<void> {
  const hashed = await passwords.hash(password);
  if (hashed.kind !== 'hashed') return;
  try {
    await records.rehashPassword(account.subject, account.passwordHash, hashed.phc);
  } catch (error) {
    if (!storeOutage.met(error)) throw error;
    caller.log.warn({ sub: account.subject }, 'could not save a stronger password hash');
  }
}

/** The RFC 6749 §5.2 error of a failed login, for endpoints without pages. */
export function authenticatedAccount(outcome: UserAuthentication): Account {
  if (outcome.kind === 'authenticated') return outcome.account;
  if (outcome.kind === 'refused')
    throw new OAuthError('invalid_grant', { description: 'The username or password is wrong.' });
  const headers = { 'retry-after': String(outcome.retryAfter) };
  if (outcome.kind === 'throttled') throw new OAuthError('too_many_attempts', { headers });
  throw new OAuthError('temporarily_unavailable', { headers, detail: outcome.dependency });
}
