import { printableValue } from '../../base/printable.ts';
import {
  type EventEffect,
  type SecurityEventName,
  securityEventNames,
  securityEvents,
} from '../../config/schema/receiver.ts';
import { isObject, type JsonObject } from '../../jwt/json.ts';
import { isTime } from '../../jwt/times.ts';
import type { RevocationEvent } from '../revocation/events.ts';
import {
  commonFault,
  type EventTimes,
  endOfSession,
  endOfUser,
  notAccepted,
  type Received,
  type ReceivingFault,
  type ReceivingRules,
  timesOf,
} from './received.ts';
import { formatOf, type Named, namedBy } from './subject-id.ts';

export interface EventRules extends ReceivingRules {
  /** The issuer of access tokens. Events may have another issuer. */
  readonly subjectIssuer: string;
  /** The claim of access tokens that names a user. */
  readonly subjectClaim: string;
  readonly effectOf: (name: SecurityEventName) => EventEffect;
}

/** RFC 8417 §2.2, after the signature. Events that end nothing here are accepted, such as a verification. */
export function readSecurityEvent(claims: JsonObject, rules: EventRules): Received | ReceivingFault {
  const fault = commonFault(claims, rules);
  if (fault !== undefined) return fault;
  const { events: happened } = claims;
  if (!isObject(happened) || Object.keys(happened).length === 0) return notAccepted('there is no event');
  const events: RevocationEvent[] = [];
  for (const name of securityEventNames) {
    const { uri } = securityEvents[name];
    if (!Object.hasOwn(happened, uri)) continue;
    const ended = endedBy(name, { event: happened[uri], claims, rules });
    if ('code' in ended) return ended;
    events.push(...ended);
  }
  return { id: idOf(claims, rules), events };
}

/** A `jti` is unique only for its issuer (RFC 7519 §4.1.7), and events may have another issuer than logout tokens. */
function idOf({ iss, jti }: JsonObject, { subjectIssuer }: EventRules): string {
  return iss === subjectIssuer ? (jti as string) : JSON.stringify([iss, jti]);
}

interface Happened {
  readonly event: unknown;
  readonly claims: JsonObject;
  readonly rules: EventRules;
}

function endedBy(
  name: SecurityEventName,
  { event, claims, rules }: Happened,
): readonly RevocationEvent[] | ReceivingFault {
  if (!isObject(event)) return notAccepted(`${name} is not an object`);
  const effect = rules.effectOf(name);
  // CAEP §3.3: a new credential leaves the others as they are.
  if (effect === 'none' || (name === 'credential-change' && event.change_type === 'create')) return [];
  // Drafts had the subject in the event.
  const subject = claims.sub_id ?? event.subject;
  const named = namedBy(subject, rules, name === 'session-revoked' ? 'session' : 'user');
  const times = timesOf(timeOf(event, claims, rules), rules.lifetime);
  const ended = endOf(named, effect, times);
  if (ended.length > 0) return ended;
  return notAccepted(`${name}: the subject names no user, session or token of this issuer (${shown(subject)})`);
}

function endOf({ session, user, token }: Named, effect: EventEffect, times: EventTimes): readonly RevocationEvent[] {
  if (token !== undefined) return [{ kind: 'jti', key: token, until: times.until }];
  if (session !== undefined && (effect === 'session' || user === undefined)) return endOfSession(session, user, times);
  return user === undefined ? [] : endOfUser(user, times);
}

/** Above this, a time is in milliseconds, as in drafts of CAEP. */
const MOST_SECONDS = 100_000_000_000;

/** When it happened (CAEP §2, RFC 8417 §2.2). A time in the future would also end later logins. */
function timeOf({ event_timestamp }: JsonObject, { toe, iat }: JsonObject, { now, skew }: EventRules): number {
  const told = [event_timestamp, toe, iat].find(isTime) as number;
  const seconds = told > MOST_SECONDS ? told / 1000 : told;
  return Math.min(seconds, now + skew);
}

/** For the log and the answer. The signature is not checked yet. */
function shown(subject: unknown): string {
  return isObject(subject) ? JSON.stringify(printableValue(formatOf(subject).slice(0, 32))) : 'there is none';
}
