import type { Clock } from '../../base/clock.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { type SecurityEventName, securityEvents } from '../../config/schema/receiver.ts';
import { type AlgorithmName, algorithmNames, algorithms } from '../../jwt/algorithms.ts';
import { type ParsedJwt, parseJwt } from '../../jwt/parse.ts';
import type { TurnBudget } from '../../jwt/turn-budget.ts';
import { judgeHeader, verifySignature } from '../../jwt/verify.ts';
import type { KeySet } from '../server-client/key-set.ts';
import { type EventLog, LARGEST_ENTRY } from './event-log.ts';
import { readLogoutToken } from './logout-token.ts';
import { notAccepted, type Received, type ReceivingFault, type ReceivingRules } from './received.ts';
import { readSecurityEvent } from './security-event.ts';

/** A logout token (OpenID Connect Back-Channel Logout), or a security event token (RFC 8417). */
export type ReceivedKind = 'logout' | 'event';

export type Receipt =
  | { readonly kind: 'accepted'; readonly id: string; readonly ends: number }
  /** The same token was accepted before. */
  | { readonly kind: 'again'; readonly id: string }
  | ({ readonly kind: 'rejected' } & ReceivingFault)
  /** The gateway cannot find out or store it now. The sender must try again. */
  | { readonly kind: 'out'; readonly detail: string };

/** Accepts what one authorization server sends about its sessions and users. */
export interface TokenReceiver {
  /** Settles once the effect holds at this replica and is on its way to all others. Never rejects. */
  receive(kind: ReceivedKind, token: string): Promise<Receipt>;
  close(): void;
}

interface KindRow {
  /** As in `typ`. Undefined: none. */
  readonly types: ReadonlySet<string | undefined>;
  readonly keys: 'keys' | 'eventKeys';
  readonly rules: (config: AuthorizationServerConfig) => Pick<ReceivingRules, 'issuer' | 'audiences'> | undefined;
  readonly read: (
    claims: ParsedJwt['claims'],
    rules: ReceivingRules,
    config: AuthorizationServerConfig,
  ) => Received | ReceivingFault;
}

const kinds: Readonly<Record<ReceivedKind, KindRow>> = {
  logout: {
    // §2.4 recommends the first. The logout event in `events` separates these tokens from all others.
    types: new Set(['logout+jwt', 'jwt', undefined]),
    keys: 'keys',
    rules: ({ issuer, backchannel_logout: logout }) => logout && { issuer, audiences: new Set(logout.audiences) },
    read: readLogoutToken,
  },
  event: {
    // RFC 8417 §2.3.
    types: new Set(['secevent+jwt']),
    keys: 'eventKeys',
    rules: ({ issuer, security_events: events }) =>
      events && { issuer: events.issuer ?? issuer, audiences: new Set(events.audiences) },
    read: (claims, rules, { issuer, security_events }) =>
      readSecurityEvent(claims, {
        ...rules,
        subjectIssuer: issuer,
        subjectClaim: security_events?.subject_claim ?? 'sub',
        effectOf: (name: SecurityEventName) => security_events?.events[name] ?? securityEvents[name].fallback,
      }),
  },
};

export interface TokenReceiverParts {
  readonly config: AuthorizationServerConfig;
  readonly keys: KeySet;
  /** The keys of security events. */
  readonly eventKeys: KeySet;
  readonly log: EventLog;
  readonly clock: Clock;
  /** One object for the process. */
  readonly budget: TurnBudget;
}

/** A secret is shared with the client, so it does not prove who sent a token. */
export const signing: ReadonlySet<AlgorithmName> = new Set(
  algorithmNames.filter((name) => algorithms[name].hmac === undefined),
);

export function tokenReceiver(parts: TokenReceiverParts): TokenReceiver {
  return {
    async receive(kind, token) {
      const judged = await judge(parts, kinds[kind], token);
      return 'kind' in judged ? judged : keep(parts, judged);
    },
    close() {
      parts.keys.close();
      parts.eventKeys.close();
    },
  };
}

const rejected = (fault: ReceivingFault): Receipt => ({ kind: 'rejected', ...fault });

/** Cheap checks come first. A forged token costs at most one signature check. */
async function judge(
  { config, clock, budget, ...parts }: TokenReceiverParts,
  { types, keys, rules, read }: KindRow,
  token: string,
): Promise<Received | Receipt> {
  const expected = rules(config);
  if (expected === undefined)
    return rejected(notAccepted('the gateway accepts no tokens of this kind from this issuer'));
  const jwt = parseJwt(token);
  if (jwt.kind === 'refused') return rejected(notAccepted('this is not a signed JWT'));
  const fault = judgeHeader(jwt, { algorithms: signing, types });
  if (fault !== undefined)
    return rejected(notAccepted(fault.code === 'token_type' ? 'the typ is wrong' : 'the alg is not accepted'));
  const times = { now: clock.now() / 1000, skew: config.clock_skew / 1000, lifetime: config.max_token_lifetime / 1000 };
  const received = read(jwt.claims, { ...expected, ...times }, config);
  if ('code' in received) return rejected(received);
  return (await signatureFault(jwt, parts[keys], budget)) ?? received;
}

async function signatureFault(jwt: ParsedJwt, keys: KeySet, budget: TurnBudget): Promise<Receipt | undefined> {
  const { alg, kid } = jwt.header;
  const found = await keys.find(alg as AlgorithmName, kid);
  if (found.kind === 'out') return { kind: 'out', detail: `keys: ${found.detail}` };
  if (found.kind !== 'keys') return rejected(notAccepted('no key of the issuer has this kid', 'invalid_key'));
  const key = await verifySignature(jwt, found.keys, budget);
  return key === undefined ? rejected(notAccepted('the signature is wrong', 'invalid_key')) : undefined;
}

async function keep({ config, log }: TokenReceiverParts, received: Received): Promise<Receipt> {
  const { events, id } = received;
  const until = Math.max(0, ...events.map((event) => event.until)) + config.clock_skew / 1000;
  if (events.length === 0) return { kind: 'accepted', id, ends: 0 };
  const entry = { ...received, issuer: config.issuer, until };
  if (Buffer.byteLength(JSON.stringify(entry)) > LARGEST_ENTRY)
    return rejected(notAccepted('the identifiers in the token are too long together'));
  const appended = await log.append(entry);
  if (appended.kind === 'out') return appended;
  return appended.kind === 'added' ? { kind: 'accepted', id, ends: events.length } : { kind: 'again', id };
}
