import type { JsonObject } from '../../jwt/json.ts';
import { parseJwt } from '../../jwt/parse.ts';
import { isUserKid } from '../../oauth/user-key.ts';
import { idTokenAgain } from '../openid/id-token.ts';
import type { Service } from '../service/service.ts';
import { type TokenResponse, withCurrentKey } from '../tokens/issue.ts';

/** The repeated answer. If the key of its JWT was rotated meanwhile, the same claims are signed with the current key. */
export async function signedAgain(service: Service, response: TokenResponse): Promise<TokenResponse> {
  const parsed = parseJwt(response.access_token);
  // An opaque token, or an HS256 token, whose secret is in the file.
  if (parsed.kind === 'refused' || parsed.header.kid === undefined) return response;
  const { kid } = parsed.header;
  const again = isUserKid(kid) ? byUser : byIssuer;
  const access = await again(service, { text: response.access_token, kid, claims: parsed.claims });
  if (access === response.access_token || response.id_token === undefined) return { ...response, access_token: access };
  return { ...response, access_token: access, id_token: await idTokenAgain(service, response.id_token, access) };
}

interface Repeated {
  readonly text: string;
  readonly kid: string;
  readonly claims: JsonObject;
}

async function byIssuer({ keys, config }: Service, { text, kid, claims }: Repeated): Promise<string> {
  await keys.look();
  return keys.current.kids.has(kid) ? text : keys.sign(config.compat.jwt_typ, claims);
}

function byUser(service: Service, { text, kid, claims }: Repeated): Promise<string> {
  return withCurrentKey(async () => {
    const { sign, signedBy } = await service.userKeys.signer(String(claims.sub));
    const token = signedBy.kid === kid ? text : await sign(service.config.compat.jwt_typ, claims);
    return (await service.records.isStillTheirs(signedBy)) ? token : 'rekeyed';
  });
}
