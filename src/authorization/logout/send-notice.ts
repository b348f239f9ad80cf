import { StorageUnusable } from '../../storage/engine/errors.ts';
import type { LogoutNotice } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { FetchOutcome } from '../outbound/outbound.ts';
import type { Outbox } from '../outbox/sender.ts';
import { type DeliveryAttempt, type Ledger, settle } from '../outbox/settle.ts';
import type { Service } from '../service/service.ts';
import { makeLogoutToken } from './logout-token.ts';

/** The clients that must learn that a session ended. */
export function logoutOutbox(service: Service): Outbox<LogoutNotice> {
  return {
    take: (claim, busy) => service.records.takeLogoutNotices(claim, busy),
    receiverOf: ({ clientId }) => clientId,
    send: (notice) => sendNotice(service, notice),
  };
}

/** A client without a URL needs no notice. */
async function sendNotice(service: Service, notice: LogoutNotice): Promise<void> {
  const client = await clientOf(service, notice);
  const uri = client?.backchannelLogoutUri;
  if (client === undefined || uri === undefined) return service.records.dropLogoutNotice(notice);
  const logout_token = await makeLogoutToken(service, client, notice);
  await settle(service, ledgerOf(service), notice, attemptOf(await service.outbound.post(uri, { logout_token })));
}

/** Until the operator repairs an unreadable registration, it counts as a client that does not answer. */
async function clientOf(service: Service, notice: LogoutNotice): Promise<RegisteredClient | undefined> {
  try {
    return await service.clients.find(notice.clientId);
  } catch (error) {
    if (error instanceof StorageUnusable) await settle(service, ledgerOf(service), notice, UNREADABLE);
    throw error;
  }
}

const UNREADABLE: DeliveryAttempt = { result: 'failed', detail: 'the registration of the client cannot be read' };

/** OpenID Connect Back-Channel Logout §2.8: 200, and in practice 204. 400 means that the client will never accept the token. */
function attemptOf(outcome: FetchOutcome): DeliveryAttempt {
  if (outcome.kind !== 'answered') return { result: 'failed', detail: outcome.reason };
  const { status } = outcome;
  if (status === 200 || status === 204) return { result: 'told' };
  return { result: status === 400 ? 'refused' : 'failed', detail: `status ${status}` };
}

function ledgerOf({ records, metrics }: Service): Ledger<LogoutNotice> {
  return {
    event: 'backchannel_logout',
    drop: (notice) => records.dropLogoutNotice(notice),
    delay: (notice, nextAt) => records.delayLogoutNotice(notice, nextAt),
    count: (_notice, result) => metrics.logoutSent(result),
    receiver: ({ clientId }) => ({ client_id: clientId }),
    facts: ({ subject }) => ({ sub: subject }),
  };
}
