import { seconds } from '../../base/clock.ts';
import { StorageUnusable } from '../../storage/engine/errors.ts';
import type { LogoutNotice } from '../../storage/records/records.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { FetchOutcome } from '../outbound/outbound.ts';
import type { Service } from '../service/service.ts';
import type { AuditEvent } from '../telemetry/audit.ts';
import { makeLogoutToken } from './logout-token.ts';

/** A client without a URL needs no notice. */
export async function sendNotice(service: Service, notice: LogoutNotice): Promise<void> {
  const client = await clientOf(service, notice);
  const uri = client?.backchannelLogoutUri;
  if (client === undefined || uri === undefined) return service.records.dropLogoutNotice(notice);
  const logout_token = await makeLogoutToken(service, client, notice);
  await settle(service, notice, await service.outbound.post(uri, { logout_token }));
}

/** Until the operator repairs an unreadable registration, it counts as a client that does not answer. */
async function clientOf(service: Service, notice: LogoutNotice): Promise<RegisteredClient | undefined> {
  try {
    return await service.clients.find(notice.clientId);
  } catch (error) {
    if (error instanceof StorageUnusable) await settle(service, notice, UNREADABLE);
    throw error;
  }
}

const UNREADABLE: FetchOutcome = { kind: 'failed', reason: 'the registration of the client cannot be read' };

async function settle(service: Service, notice: LogoutNotice, outcome: FetchOutcome): Promise<void> {
  const result = resultOf(outcome);
  service.metrics.logoutSent(result);
  if (result === 'told') return finish(service, notice, 'backchannel_logout');
  const detail = outcome.kind === 'answered' ? `status ${outcome.status}` : outcome.reason;
  if (result === 'refused') return finish(service, notice, 'backchannel_logout_refused', detail);
  const now = seconds(service.clock);
  if (now - notice.createdAt >= LONGEST) return finish(service, notice, 'backchannel_logout_failed', detail);
  await service.records.delayLogoutNotice(notice, now + waitAfter(notice.attempts));
  service.audit.count('backchannel_logout_delayed', { client_id: notice.clientId, detail });
}

type Result = 'told' | 'refused' | 'failed';

/** OpenID Connect Back-Channel Logout §2.8: 200, and in practice 204. 400 means that the client will never accept the token. */
function resultOf(outcome: FetchOutcome): Result {
  if (outcome.kind !== 'answered') return 'failed';
  if (outcome.status === 200 || outcome.status === 204) return 'told';
  return outcome.status === 400 ? 'refused' : 'failed';
}

/** Seconds after which the service gives up. */
const LONGEST = 24 * 3600;

/** Seconds until the next attempt: 2, 4, 8 … and an hour at most. */
export function waitAfter(attempts: number): number {
  return Math.min(2 ** attempts, 3600);
}

async function finish(
  { records, audit }: Service,
  notice: LogoutNotice,
  event: AuditEvent,
  detail?: string,
): Promise<void> {
  await records.dropLogoutNotice(notice);
  audit.record(event, { client_id: notice.clientId, sub: notice.subject, ...(detail !== undefined && { detail }) });
}
