import { randomBytes } from 'node:crypto';
import { json, type Row, run, text, textOrNone, type Verb } from '../engine/verb.ts';
import {
  type Attempted,
  attempted,
  countWaiting,
  delay,
  drop,
  type NoticeClaim,
  type OutboxTable,
  takeDue,
} from './outbox.ts';

/** Events of CAEP that the service itself causes. */
export type SentEventName = 'session-revoked' | 'credential-change' | 'token-claims-change';

export interface EventReceiver {
  readonly id: string;
  readonly events: readonly SentEventName[];
}

/** The receivers of the configuration file. What others still had to hear is removed. */
export function* setEventReceivers(receivers: readonly EventReceiver[]): Verb<void> {
  yield* run('DELETE FROM event_receiver');
  for (const { id, events } of receivers)
    for (const event of events)
      yield* run(
        'INSERT INTO event_receiver (receiver_id, event) VALUES ($1, $2) ON CONFLICT (receiver_id, event) DO NOTHING',
        id,
        event,
      );
  yield* run('DELETE FROM security_event WHERE receiver_id NOT IN (SELECT receiver_id FROM event_receiver)');
}

/** Something that happened to a user, or to one session or one application of the user. */
export interface SecurityEvent {
  readonly event: SentEventName;
  readonly subject: string;
  /** The id of the ended session. */
  readonly sessionId?: string | undefined;
  /** The client whose access ended. */
  readonly clientId?: string | undefined;
  /** Members of the event. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** CAEP §3.3.1. */
export function newPassword(subject: string): SecurityEvent {
  const details = { credential_type: 'password', change_type: 'update' };
  return { event: 'credential-change', subject, details };
}

/** Writes an event for each receiver, in the transaction of the change itself. Without receivers, this writes nothing. */
export function* noteSecurityEvent(
  { event, subject, sessionId, clientId, details = {} }: SecurityEvent,
  now: number,
): Verb<void> {
  yield* run(
    `INSERT INTO security_event
       (id, receiver_id, event, subject, session_id, client_id, details, created_at, next_at, attempts)
     SELECT $1, receiver_id, event, $3, $4, $5, $6, $7, $7, 0 FROM event_receiver WHERE event = $2`,
    randomBytes(16).toString('base64url'),
    event,
    subject,
    sessionId,
    clientId,
    JSON.stringify(details),
    now,
  );
}

/** An event that one receiver must still hear. */
export interface EventNotice extends SecurityEvent, Attempted {
  readonly id: string;
  readonly receiverId: string;
}

const notices: OutboxTable = { table: 'security_event', key: 'id', receiver: 'receiver_id' };

/** `only`: at least one receiver. A process leaves events of receivers that its file does not have to others. */
export function* takeSecurityEvents(claim: NoticeClaim, only: readonly string[]): Verb<readonly EventNotice[]> {
  return (yield* takeDue(notices, claim, { only })).map(notice);
}

type NoticeKey = Pick<EventNotice, 'id' | 'receiverId'>;

/** The receiver has answered, or gets no further attempt. */
export function dropSecurityEvent({ id, receiverId }: NoticeKey): Verb<void> {
  return drop(notices, id, receiverId);
}

export function delaySecurityEvent({ id, receiverId }: NoticeKey, nextAt: number): Verb<void> {
  return delay(notices, [id, receiverId], nextAt);
}

/** How many events wait. */
export function countSecurityEvents(): Verb<number> {
  return countWaiting(notices);
}

function notice(row: Row): EventNotice {
  return {
    id: text(row, 'id'),
    receiverId: text(row, 'receiver_id'),
    event: text(row, 'event') as SentEventName,
    subject: text(row, 'subject'),
    sessionId: textOrNone(row, 'session_id'),
    clientId: textOrNone(row, 'client_id'),
    details: json(row, 'details'),
    ...attempted(row),
  };
}
