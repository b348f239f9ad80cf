import type { AlgorithmName } from '../../jwt/algorithms.ts';
import { parseJwt } from '../../jwt/parse.ts';
import { judgeHeader, verifySignature } from '../../jwt/verify.ts';
import type { Service } from '../service/service.ts';

/** An ID token that a client shows to us. */
export interface IdTokenHint {
  readonly clientId: string;
  /** As this client sees the user. */
  readonly subject: string;
  readonly sid: string | undefined;
}

const types: ReadonlySet<string | undefined> = new Set(['jwt']);

/**
 * Undefined unless this service issued the ID token. It may be expired: it only says who was logged in (OpenID Connect Core
 * §3.1.2.2, RP-Initiated Logout §2).
 */
export async function readIdTokenHint(service: Service, token: string): Promise<IdTokenHint | undefined> {
  const { config, keys } = service;
  const parsed = parseJwt(token);
  if (parsed.kind === 'refused') return undefined;
  if (judgeHeader(parsed, { algorithms: keys.current.algorithms, types }) !== undefined) return undefined;
  const { iss, aud, azp, sub, sid } = parsed.claims;
  // An access token with the same `typ` has no `azp`.
  const isOurs = iss === config.issuer && typeof aud === 'string' && azp === aud && typeof sub === 'string';
  const { alg, kid } = parsed.header;
  if (!isOurs || kid === undefined) return undefined;
  if (!keys.current.kids.has(kid)) await keys.look();
  const candidates = keys.current.ring.candidates(alg as AlgorithmName, kid);
  const signer = await verifySignature(parsed, candidates, service.signatures);
  return signer && { clientId: aud, subject: sub, sid: typeof sid === 'string' ? sid : undefined };
}
