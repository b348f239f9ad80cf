import { seconds } from '../../base/clock.ts';
import { sha256 } from '../../base/secret.ts';
import { mediaType } from '../../base/token-type.ts';
import { type ParsedJwt, parseJwt } from '../../jwt/parse.ts';
import { isTime } from '../../jwt/times.ts';
import { verifySignature } from '../../jwt/verify.ts';
import { assertionAlgorithms } from '../clients/assertion-algorithms.ts';
import type { RegisteredClient } from '../clients/clients.ts';
import type { KeyLookup } from '../documents/client-keys.ts';
import type { Service } from '../service/service.ts';

/** RFC 7523 §2.2. */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Seconds. */
const SKEW = 60;
/** Seconds from now to `exp`. The store remembers each assertion for this time. */
const LONGEST_LIFE = 600;
const LONGEST_JTI = 255;
const JTI_FAULT = `its jti must be a string of 1 to ${LONGEST_JTI} characters`;

export interface ClientAssertion {
  readonly clientId: string;
  readonly jwt: ParsedJwt;
}

/** Everything about an assertion that needs no client. A text says why no client can use it. */
export function readAssertion({ config, clock }: Service, text: string): ClientAssertion | string {
  const jwt = parseJwt(text);
  if (jwt.kind === 'refused') return 'it is not a JWT';
  const fault = headerFault(jwt) ?? claimFault(jwt, config.issuer) ?? timeFault(jwt, seconds(clock));
  return fault ?? { clientId: jwt.claims.sub as string, jwt };
}

/** A token of another kind is not an assertion, although the same key may have signed it (RFC 8725 §3.11). */
const types: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'client-authentication+jwt']);

function headerFault({ header: { alg, typ } }: ParsedJwt): string | undefined {
  if (!assertionAlgorithms.some((known) => known === alg)) return 'its alg is not supported';
  return types.has(typ && mediaType(typ)) ? undefined : 'its typ is not client-authentication+jwt';
}

/**
 * RFC 7523 §3. `aud` is the issuer alone: another server that a client trusts could otherwise let the client make an
 * assertion for our token endpoint, and use it here (draft-ietf-oauth-rfc7523bis).
 */
function claimFault({ claims }: ParsedJwt, issuer: string): string | undefined {
  const { iss, sub, aud, jti } = claims;
  if (typeof sub !== 'string' || sub === '' || iss !== sub) return 'its iss and sub must both be the client id';
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  if (audience !== issuer) return 'its aud must be the issuer, with no other value';
  return typeof jti === 'string' && jti !== '' && jti.length <= LONGEST_JTI ? undefined : JTI_FAULT;
}

function timeFault({ claims: { exp, nbf, iat } }: ParsedJwt, now: number): string | undefined {
  if (!isTime(exp)) return 'it has no exp';
  if (exp + SKEW <= now) return 'it has expired';
  if (exp - now > LONGEST_LIFE + SKEW) return `its exp is more than ${LONGEST_LIFE} seconds from now`;
  const isLate = [nbf, iat].every((each) => each === undefined || (isTime(each) && each <= now + SKEW));
  return isLate ? undefined : 'its nbf or iat is in the future';
}

/**
 * True if the client made the assertion, and uses it for the first time on any node. A look-up as the result says why the
 * service has no keys of the client.
 */
export async function isMadeBy(
  service: Service,
  client: RegisteredClient,
  { jwt }: ClientAssertion,
  address: string,
): Promise<boolean | Exclude<KeyLookup, { readonly kind: 'read' }>> {
  if (client.assertionKeys === undefined) return false;
  const keys = await service.clientKeys.find(client, jwt.header, address);
  if (keys.kind !== 'read') return keys;
  if ((await verifySignature(jwt, keys.value, service.signatures)) === undefined) return false;
  const { jti, exp } = jwt.claims;
  const hash = sha256(JSON.stringify(['client assertion', client.id, jti]));
  return service.records.useOnce({ hash, until: Math.ceil(exp as number) + SKEW });
}
