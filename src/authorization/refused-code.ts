import { OAuthError } from '../oauth/errors.ts';
import type { CodeRecord, Redemption } from '../storage/records.ts';
import type { AuditEvent } from './audit.ts';
import type { TokenRequest } from './grant.ts';
import type { Service } from './service.ts';

const events: Partial<Record<Redemption, AuditEvent>> = {
  replayed: 'code_replayed',
  wrong_client: 'code_refused',
  mismatch: 'code_refused',
};

/** The client learns nothing of which check failed (RFC 6749 §5.2); the audit log does. */
export function refusedCode(
  { client, caller }: Pick<TokenRequest, 'client' | 'caller'>,
  { audit }: Service,
  { redemption, code }: { readonly redemption: Redemption; readonly code: CodeRecord | undefined },
): OAuthError {
  const event = events[redemption];
  const facts = { client_id: client.id, sub: code?.subject, grant_id: code?.grantId, detail: redemption };
  if (event !== undefined) audit.record(event, { ...facts, address: caller.ip, request_id: caller.id });
  return new OAuthError(redemption === 'replayed' ? 'code_used' : 'invalid_grant', { detail: `code: ${redemption}` });
}
