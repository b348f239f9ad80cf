import type { TokenKind } from './token-kind.ts';
import { jwtAccessToken } from './token-kinds/jwt-access-token.ts';
import { opaqueAccessToken } from './token-kinds/opaque-access-token.ts';
import { refreshTokenKind } from './token-kinds/refresh-token.ts';
import { sessionKeyKind } from './token-kinds/session-key.ts';

const kinds: readonly TokenKind[] = [opaqueAccessToken, jwtAccessToken, refreshTokenKind, sessionKeyKind];

/** The text itself says what it is, so `token_type_hint` is not needed (RFC 7009 §2.1). */
export function tokenKind(token: string): TokenKind | undefined {
  return kinds.find((kind) => kind.recognises(token));
}
