import type { EventReceiverConfig } from '../../config/schema/security-events.ts';
import { isObject } from '../../jwt/json.ts';
import { StorageUnusable } from '../../storage/engine/errors.ts';
import type { EventNotice } from '../../storage/records/records.ts';
import { subjectFor } from '../openid/subject.ts';
import type { Answered, FetchOutcome } from '../outbound/outbound.ts';
import type { Outbox } from '../outbox/sender.ts';
import { type DeliveryAttempt, type Ledger, settle } from '../outbox/settle.ts';
import type { Service } from '../service/service.ts';
import { securityEventClaims } from './security-event-token.ts';

/** The receivers that must hear of security events. A process sends only to the receivers of its file. */
export function eventOutbox(service: Service): Outbox<EventNotice> {
  const receivers = new Map(service.config.security_events.receivers.map((receiver) => [receiver.id, receiver]));
  return {
    async take(claim, busy) {
      const free = [...receivers.keys()].filter((id) => !busy.includes(id));
      return free.length === 0 ? [] : service.records.takeSecurityEvents(claim, free);
    },
    receiverOf: ({ receiverId }) => receiverId,
    async send(notice) {
      const receiver = receivers.get(notice.receiverId);
      if (receiver !== undefined)
        await settle(service, ledgerOf(service), notice, await attempt(service, receiver, notice));
    },
  };
}

async function attempt(service: Service, receiver: EventReceiverConfig, notice: EventNotice): Promise<DeliveryAttempt> {
  const subject = await subjectAt(service, receiver, notice);
  if (subject === undefined) return UNREADABLE;
  const { issuer, openid } = service.config;
  const claims = securityEventClaims(notice, receiver, { issuer, subject });
  const token = await service.keys.signWith(openid.id_token.alg)('secevent+jwt', claims);
  return attemptOf(await push(service, receiver, token));
}

const UNREADABLE: DeliveryAttempt = {
  result: 'failed',
  detail: 'the registration of the client in `audience` cannot be read',
};

/** If the audience is a client, it knows the user by the `sub` of its ID tokens. */
async function subjectAt(
  service: Service,
  { audience }: EventReceiverConfig,
  { subject }: EventNotice,
): Promise<string | undefined> {
  try {
    const client = await service.clients.find(audience);
    return client === undefined ? subject : subjectFor(service, client, subject);
  } catch (error) {
    if (error instanceof StorageUnusable) return undefined;
    throw error;
  }
}

/** RFC 8935 §2.1. */
function push({ outbound }: Service, { url, authorization }: EventReceiverConfig, token: string) {
  return outbound.postText(url, token, {
    'content-type': 'application/secevent+jwt',
    accept: 'application/json',
    ...(authorization !== undefined && { authorization }),
  });
}

/** RFC 8935 §2.2 and §2.3. A 400 without `err` may be from a proxy in front of the receiver, so another attempt follows. */
export function attemptOf(outcome: FetchOutcome): DeliveryAttempt {
  if (outcome.kind !== 'answered') return { result: 'failed', detail: outcome.reason };
  const { status } = outcome;
  if (status >= 200 && status < 300) return { result: 'told' };
  const err = errorOf(outcome);
  const detail = err === undefined ? `status ${status}` : `status ${status} ${err}`;
  return { result: status === 400 && err !== undefined ? 'refused' : 'failed', detail };
}

/** Characters of `err` in the audit log. */
const LONGEST_ERROR = 64;

function errorOf({ body }: Answered): string | undefined {
  try {
    const answer: unknown = JSON.parse(Buffer.from(body).toString());
    return isObject(answer) && typeof answer.err === 'string' ? answer.err.slice(0, LONGEST_ERROR) : undefined;
  } catch {
    return undefined;
  }
}

function ledgerOf({ records, metrics }: Service): Ledger<EventNotice> {
  return {
    event: 'security_event',
    drop: (notice) => records.dropSecurityEvent(notice),
    delay: (notice, nextAt) => records.delaySecurityEvent(notice, nextAt),
    count: ({ receiverId }, result) => metrics.securityEventSent(receiverId, result),
    receiver: ({ receiverId }) => ({ receiver: receiverId }),
    facts: ({ subject, event }) => ({ sub: subject, type: event }),
  };
}
