import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { formatScope } from '../../oauth/scope.ts';
import type { CodeRecord } from '../../storage/records/records.ts';
import type { Account } from '../people/accounts.ts';
import type { Service } from '../service/service.ts';
import { makeOpaqueToken, tokenPrefixes } from './opaque-token.ts';
import { newGrantId } from './user-grant.ts';

type Binding =
  | 'use'
  | 'clientId'
  | 'audience'
  | 'redirectUri'
  | 'redirectUriSent'
  | 'challenge'
  | 'authTime'
  | 'sessionId'
  | 'openid';

/** The grant behind a code, and the code's bindings. */
export interface CodeFor extends Pick<CodeRecord, Binding> {
  readonly account: Account;
  readonly scope: readonly string[];
}

/** The only place that creates codes. The text is sent after the record is durable. */
export function makeCode(
  { clock, config }: Service,
  { account, scope, ...bound }: CodeFor,
): { readonly text: string; readonly record: CodeRecord } {
  const text = makeOpaqueToken(tokenPrefixes.code);
  const issuedAt = seconds(clock);
  const { subject, username } = account;
  const record = {
    ...bound,
    hash: sha256(text),
    subject,
    username,
    scope: formatScope(scope),
    grantId: newGrantId(),
    issuedAt,
    expiresAt: issuedAt + Math.floor(config.tokens.code.ttl / 1000),
  };
  return { text, record };
}
