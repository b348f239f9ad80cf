import { mismatchOf } from '../../base/mismatch.ts';
import { quoted } from '../../base/quoted.ts';
import { mayHaveFeed, reportsEnds } from '../../config/rules/follows-feed.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { issuerMismatch } from '../../jwt/claim-mismatches.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { eventChecks } from './event-checks.ts';
import { timeChecks } from './time-checks.ts';
import { fails, failsBy, fits, type TokenCheck } from './token-check.ts';

export interface AnswerScene {
  readonly block: AuthorizationServerConfig;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** Checks each member of an introspection answer separately (RFC 7662 §2.2). All except `active` may be absent. */
export function answerChecks(answer: JsonObject, { block, now }: AnswerScene): readonly TokenCheck[] {
  const { active, iss, token_type: type } = answer;
  if (active !== true) return [fails('active', quoted(active), 'true', inactiveNote(block))];
  const { issuer, clock_skew, max_token_lifetime } = block;
  const foreign = iss === undefined ? undefined : issuerMismatch(iss, [issuer]);
  const isBearer = type === undefined || String(type).toLowerCase() === 'bearer';
  const rules = { now, skew: clock_skew / 1000, leeway: 0, maxLifetime: max_token_lifetime / 1000 };
  return [
    fits('active', 'true', 'true', 'by introspection'),
    ...(iss === undefined ? [] : [foreign === undefined ? fits('iss', quoted(iss), quoted(issuer)) : failsBy(foreign)]),
    ...(type === undefined ? [] : [isBearer ? bearer(type) : failsBy(mismatchOf('token_type', type, ['Bearer']))]),
    ...eventChecks(answer),
    ...timeChecks(answer, rules, false),
    ...(Object.hasOwn(answer, 'cnf') ? [fails('cnf', 'bound to a key', 'a token that is not bound to a key')] : []),
  ];
}

/**
 * This answer does not say why a token ended. A gateway that verified the token before its end learns the reason from the feed or
 * from reports.
 */
function inactiveNote(block: AuthorizationServerConfig): string {
  const said = 'the server says that the token is not active';
  if (!mayHaveFeed(block) && !reportsEnds(block)) return said;
  return `${said}; the running gateway may answer \`token_revoked\`, because it knows the ended tokens from the feed or from reports`;
}

function bearer(type: unknown): TokenCheck {
  return fits('token_type', quoted(type), '"Bearer"');
}
