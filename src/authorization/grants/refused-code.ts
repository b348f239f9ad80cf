import { OAuthError } from '../../oauth/errors.ts';
import type { CodeRecord, CodeRefusal } from '../../storage/records/records.ts';
import type { Service } from '../service/service.ts';
import type { AuditEvent } from '../telemetry/audit.ts';
import type { TokenRequest } from './grant.ts';

const events: Partial<Record<CodeRefusal, AuditEvent>> = {
  replayed: 'code_replayed',
  wrong_client: 'code_refused',
  mismatch: 'code_refused',
};

/** The client does not learn which check failed (RFC 6749 §5.2). The audit log has the reason. */
export function refusedCode(
  { client, caller }: Pick<TokenRequest, 'client' | 'caller'>,
  { audit }: Service,
  { refusal, code }: { readonly refusal: CodeRefusal; readonly code: CodeRecord | undefined },
): OAuthError {
  const event = events[refusal];
  const facts = { client_id: client.id, sub: code?.subject, grant_id: code?.grantId, detail: refusal };
  if (event !== undefined) audit.record(event, { ...facts, address: caller.ip, request_id: caller.id });
  return new OAuthError(refusal === 'replayed' ? 'code_used' : 'invalid_grant', { detail: `code: ${refusal}` });
}
