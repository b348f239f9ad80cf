import { schemes } from '../../config/schemes/table.ts';
import { ANSWER_TIMES } from '../../config/words/answer-times.ts';
import { droppedFields } from '../decide/dropped-fields.ts';
import type { Forward } from '../decide/outcome.ts';
import { placedCredentials } from '../decide/placed-credentials.ts';
import type { Route } from '../decide/route.ts';
import type { RequestHead } from '../message/request-head.ts';
import { mayName } from '../routing/form-parameters.ts';
import { type KeySeen, keySeen } from './key-seen.ts';

/** For a request in shadow mode: changes that its caller will notice once its route enforces, except a refusal. */
export interface ShadowFacts {
  /** Header fields that the gateway already removes, because only the gateway may write them. */
  readonly shadow_drops?: readonly string[];
  /** Header fields that the gateway removes once the route enforces. */
  readonly enforce_drops?: readonly string[];
  /** The answer began later than an enforcing route would wait. */
  readonly enforce_times_out?: true;
  /** The schemes of the request's credentials, whether the route accepts them or not. */
  readonly credentials_seen?: readonly string[];
  /** A value that looks like an API key, in a place where the route reads no credential. */
  readonly key_seen?: KeySeen;
}

interface Seen {
  readonly head: RequestHead;
  /** Milliseconds to the first byte of the answer. */
  readonly upstream?: number | undefined;
}

/** The maximum number and length of names, because the client chooses both. */
const MOST = 16;
const LONGEST = 64;

export function shadowFacts(request: Seen, plan: Forward): ShadowFacts {
  if (plan.shadow === undefined) return {};
  const seen = credentialsSeen(request.head, plan.route.schemes);
  const key = seen.length > 0 ? undefined : keySeen(request.head);
  return {
    ...changes(request, plan),
    ...(seen.length > 0 && { credentials_seen: seen }),
    ...(key !== undefined && { key_seen: key }),
  };
}

/** Whether a passed request is worth a log line. Enforcing always removes `authorization`. */
export function isNoticed(seen: Seen, plan: Forward): boolean {
  const { shadow_drops, enforce_drops = [], enforce_times_out } = changes(seen, plan);
  return shadow_drops !== undefined || enforce_times_out === true || enforce_drops.some(isNoCredential);
}

function isNoCredential(name: string): boolean {
  return name !== 'authorization';
}

/** What enforcing would change, or what shadow mode has already changed. */
function changes({ head, upstream = 0 }: Seen, plan: Forward): ShadowFacts {
  if (!plan.asCame) return {};
  const { now, later } = droppedFields(head, plan);
  const isUnnamed = plan.route.limits.response === Number.POSITIVE_INFINITY;
  return {
    ...(now.length > 0 && { shadow_drops: bounded(now) }),
    ...(later.length > 0 && { enforce_drops: bounded(later) }),
    ...(isUnnamed && upstream > ANSWER_TIMES.response && { enforce_times_out: true }),
  };
}

function bounded(names: readonly string[]): readonly string[] {
  return names.slice(0, MOST).map((name) => name.slice(0, LONGEST));
}

/** Names of schemes, from IANA and from practice. Any other first word may be a key without a scheme. */
const KNOWN: ReadonlySet<string> = new Set([
  ...schemes.map(({ name }) => name as string),
  ...['bearer', 'concealed', 'dpop', 'gnap', 'hoba', 'mutual', 'negotiate', 'oauth', 'privatetoken'],
  ...['scram-sha-1', 'scram-sha-256', 'vapid', 'ntlm', 'aws4-hmac-sha256', 'apikey', 'api-key', 'token', 'hmac'],
]);

/** Also checks the headers that the route's schemes name. Keys in other headers cannot be recognized. */
function credentialsSeen(head: RequestHead, schemes: Route['schemes']): readonly string[] {
  const { authorization, target } = head;
  const at = target.indexOf('?');
  const query = at === -1 ? '' : target.slice(at);
  const isInQuery = mayName(query.slice(1), 'access_token');
  const placed = placedCredentials(head, query, schemes)?.found ?? [];
  return [
    ...(authorization === undefined ? [] : [schemeOf(authorization.value)]),
    ...(isInQuery ? ['query'] : []),
    ...new Set(placed.map((each) => each.scheme)),
  ];
}

function schemeOf(value: string): string {
  const [word = ''] = value.split(' ', 1);
  const name = word.toLowerCase();
  return KNOWN.has(name) ? name : 'other';
}
