import type { FastifyRequest } from 'fastify';
import { addressBlock } from '../base/address-block.ts';
import type { Outage } from '../base/verdict.ts';
import type { Account } from './accounts.ts';
import type { AuditEvent } from './audit.ts';
import { buildLoginAttempts } from './browser/login-attempts.ts';
import type { Service } from './service.ts';

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
  if (outcome.kind === 'authenticated' && outcome.needsRehash) await rehash(service, outcome.account, typed.password);
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
  const attempts = buildLoginAttempts(service);
  const attempt = await attempts.begin(username, caller.ip);
  if (attempt.retryAfter !== undefined) return { kind: 'throttled', retryAfter: attempt.retryAfter };
  const verdict = await service.passwords.verify(account?.passwordHash, password, addressBlock(caller.ip));
  if (verdict.kind === 'outage') return verdict;
  // what was typed at the same time counts too: of a burst of guesses no more are looked at than one after another
  const { retryAfter } = await attempts.begin(username, caller.ip);
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

/** The only moment at which a stronger hash can be made. */
async function rehash({ passwords, records }: Service, account: Account, password: string): Promise<void> {
  const hashed = await passwords.hash(password);
  if (hashed.kind === 'hashed') await records.rehashPassword(account.subject, account.passwordHash, hashed.phc);
}
