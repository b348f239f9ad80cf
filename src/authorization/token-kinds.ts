import type { TokenKind } from './token-kind.ts';
import { jwtAccessToken } from './token-kinds/jwt-access-token.ts';
import { opaqueAccessToken } from './token-kinds/opaque-access-token.ts';

const kinds: readonly TokenKind[] = [opaqueAccessToken, jwtAccessToken];

/** The text itself says what it is, so `token_type_hint` is not needed (RFC 7009 §2.1). */
export function tokenKind(token: string): TokenKind | undefined {
  return kinds.find((kind) => kind.recognises(token));
}
