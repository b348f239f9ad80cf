import { isObject, type JsonObject } from '../../jwt/json.ts';
import {
  commonFault,
  endOfSession,
  endOfUser,
  isId,
  notAccepted,
  type Received,
  type ReceivingFault,
  type ReceivingRules,
  timesOf,
} from './received.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Seconds. A logout token is sent at once. Older servers write no `exp`. */
const LONGEST_WAY = 300;

/** OpenID Connect Back-Channel Logout §2.6, after the signature. */
export function readLogoutToken(claims: JsonObject, rules: ReceivingRules): Received | ReceivingFault {
  const fault = commonFault(claims, rules) ?? logoutFault(claims, rules);
  if (fault !== undefined) return fault;
  const { sid, sub } = claims;
  const times = timesOf(claims.iat as number, rules.lifetime);
  const user = isId(sub) ? sub : undefined;
  const id = claims.jti as string;
  if (isId(sid)) return { id, events: endOfSession(sid, user, times) };
  return { id, events: endOfUser(user as string, times) };
}

function logoutFault(claims: JsonObject, { now, skew }: ReceivingRules): ReceivingFault | undefined {
  const { events, sid, sub, iat, exp } = claims;
  // A nonce would allow its use as an ID token.
  if (Object.hasOwn(claims, 'nonce')) return notAccepted('a logout token must not contain a nonce');
  if (!isObject(events) || !Object.hasOwn(events, EVENT) || !isObject(events[EVENT]))
    return notAccepted('events does not contain the logout event');
  if (sid !== undefined && !isId(sid)) return notAccepted('sid is not an identifier');
  if (sub !== undefined && !isId(sub)) return notAccepted('sub is not an identifier');
  if (sid === undefined && sub === undefined) return notAccepted('there is neither sid nor sub');
  const isOld = exp === undefined && (iat as number) + LONGEST_WAY + skew < now;
  return isOld ? notAccepted('the logout token is too old') : undefined;
}
