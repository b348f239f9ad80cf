import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { SESSION_LIFETIME } from '../../config/words/session-lifetime.ts';
import type { SessionRecord } from '../../storage/records/records.ts';
import { userKeysUntil } from '../keys/user-keys.ts';
import { type Account, judgedPassword } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import { randomCookieValue } from './cookies.ts';
import type { BrowserExchange } from './exchange.ts';
import type { PageContext } from './page-context.ts';

/** The user who is signed in with this browser. */
export interface SignedInUser {
  readonly session: SessionRecord;
  readonly account: Account;
}

const longestUserAgent = 300;

/** Undefined without a valid session of an existing account. */
export async function findSignedInUser(
  { service, sessionCookie }: Pick<PageContext, 'service' | 'sessionCookie'>,
  request: FastifyRequest,
): Promise<SignedInUser | undefined> {
  const value = sessionCookie.read(request);
  if (value === undefined) return undefined;
  const session = await service.records.findSession(sha256(value), seconds(service.clock));
  const account = session && (await service.accounts.bySubject(session.subject));
  return account && { session: await seen(service, session, request), account };
}

/** Seconds. Most requests must not write. */
const SEEN_AGAIN_AFTER = 300;

/** Records that the browser uses the session. If the store cannot write, the page works without it. */
async function seen(
  { records, clock, storeOutage }: Service,
  session: SessionRecord,
  { ip: address, log }: FastifyRequest,
): Promise<SessionRecord> {
  const now = seconds(clock);
  const used = { ...session, address, seenAt: now };
  if (now - (session.seenAt ?? 0) < SEEN_AGAIN_AFTER) return used;
  try {
    await records.seeSession(used);
  } catch (error) {
    if (!storeOutage.met(error)) throw error;
    log.debug('could not record the last use of a session');
  }
  return used;
}

/**
 * False: the password is no longer the user's. Each login sets a new cookie, so no one can plant one beforehand. The session of
 * the same user continues. The session of another user ends.
 */
export async function signIn(
  front: PageContext,
  { request, reply }: BrowserExchange,
  account: Account,
): Promise<boolean> {
  const { subject, username } = account;
  const { service, sessionCookie, knownCookie } = front;
  const before = await findSignedInUser(front, request);
  const value = randomCookieValue();
  const now = seconds(service.clock);
  const session = {
    hash: sha256(value),
    id: randomBytes(16).toString('base64url'),
    subject,
    username,
    authenticatedAt: now,
    expiresAt: now + SESSION_LIFETIME,
    userAgent: request.headers['user-agent']?.slice(0, longestUserAgent),
    address: request.ip,
    seenAt: now,
  };
  const saved = await service.records.saveSession(session, judgedPassword(account), before?.session.hash);
  if (saved === 'outdated') return false;
  if (before !== undefined && before.account.subject !== subject) await endBrowserSession(front, before);
  sessionCookie.set(reply, value);
  knownCookie.set(reply, service.knownBrowsers.withAccount(knownCookie.read(request), account));
  return true;
}

export async function signOut(
  front: PageContext,
  { session, account }: SignedInUser,
  { request, reply }: BrowserExchange,
): Promise<void> {
  await endBrowserSession(front, { session });
  front.sessionCookie.clear(reply);
  const { subject: sub, username } = account;
  front.service.audit.record('logout', { sub, username, address: request.ip, request_id: request.id });
}

/** Its clients learn this at once. False: the user has no such session. */
export async function endBrowserSession(
  { service }: Pick<PageContext, 'service'>,
  { session }: { readonly session: Pick<SessionRecord, 'id' | 'subject'> },
): Promise<boolean> {
  const isEnded = await service.records.endSession(session.id, session.subject, seconds(service.clock));
  service.sessionEnded.ring();
  return isEnded;
}

/** Ends every session, every grant and all their tokens. If `userKeysUntil` is given, it also rotates the user's own key. */
export async function signOutEverywhere(
  front: PageContext,
  { account }: SignedInUser,
  { request, reply }: BrowserExchange,
): Promise<void> {
  const { config, clock, records, audit } = front.service;
  const { subject, username } = account;
  const now = seconds(clock);
  await records.signOutEverywhere({ subject, now, keysUntil: userKeysUntil(config, now) });
  front.service.sessionEnded.ring();
  front.sessionCookie.clear(reply);
  audit.record('signed_out_everywhere', { sub: subject, username, address: request.ip, request_id: request.id });
}
