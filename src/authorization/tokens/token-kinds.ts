import { jwtAccessToken } from './kinds/jwt-access-token.ts';
import { opaqueAccessToken } from './kinds/opaque-access-token.ts';
import { refreshTokenKind } from './kinds/refresh-token.ts';
import { sessionKeyKind } from './kinds/session-key.ts';
import type { TokenKind } from './token-kind.ts';

const kinds: readonly TokenKind[] = [opaqueAccessToken, jwtAccessToken, refreshTokenKind, sessionKeyKind];

/** The text itself shows its kind, so `token_type_hint` is not needed (RFC 7009 §2.1). */
export function tokenKind(token: string): TokenKind | undefined {
  return kinds.find((kind) => kind.recognises(token));
}
