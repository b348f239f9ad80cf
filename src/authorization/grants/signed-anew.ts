import { parseJwt } from '../../jwt/parse.ts';
import { isUserKid } from '../../oauth/user-key.ts';
import type { Service } from '../service.ts';
import type { TokenResponse } from '../tokens/issue.ts';
import { withCurrentKey } from '../tokens/user-keys.ts';

/** An answer that is given again, without a token of a key that was rotated since: the same claims, signed anew. */
export async function signedAnew(service: Service, response: TokenResponse): Promise<TokenResponse> {
  const parsed = parseJwt(response.access_token);
  if (parsed.kind === 'refused' || !isUserKid(parsed.header.kid)) return response;
  const { header, claims } = parsed;
  return withCurrentKey(async () => {
    const { sign, signedBy } = await service.userKeys.signer(String(claims.sub));
    const isCurrent = signedBy.kid === header.kid;
    const access_token = isCurrent ? response.access_token : await sign(service.config.compat.jwt_typ, claims);
    return (await service.records.isStillTheirs(signedBy)) ? { ...response, access_token } : 'rekeyed';
  });
}
