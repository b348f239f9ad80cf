import type { Mismatch } from '../../base/mismatch.ts';
import type { Outcome } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import { entry } from '../message/codes.ts';
import { alternativeTexts, missingScopes, type ScopeRequirement } from '../message/scope-requirement.ts';
import { missingScope } from '../telemetry/decision-record.ts';

/** `orders-read (gateway.yaml:12)`. */
export function routeInWords({ id, at }: Route): string {
  return at === undefined ? `\`${id}\`` : `\`${id}\` (${at})`;
}

/** The maximum number of scopes shown. */
const MOST = 20;

/** The scopes of a token or a user. */
export function scopesInWords(scopes: ReadonlySet<string>): string {
  const rest = scopes.size - MOST;
  const shown = [...scopes].slice(0, MOST).join(' ') || 'none';
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

/** All alternatives, and the missing scopes of the nearest one. Empty: nothing is missing. */
export function neededScopes(scope: ScopeRequirement, held: ReadonlySet<string>) {
  return { needed: alternativeTexts(scope).join(', or '), missing: missingScopes(scope, held).join(' ') };
}

/** Which held scope counts as which required scope. Empty: there is no such pair. */
export function impliedInWords({ impliers }: ScopeRequirement, held: ReadonlySet<string>): string {
  const told = [...(impliers ?? [])].flatMap(([scope, stronger]) => {
    const found = held.has(scope) ? undefined : stronger.find((each) => held.has(each));
    return found === undefined ? [] : [`${found} implies ${scope}`];
  });
  return told.join(', ');
}

/** One line: the mismatch of a token. */
export function mismatchInWords({ claim, found, expected, difference }: Mismatch): string {
  return `${claim}: found ${found}, expected ${expected}${difference === undefined ? '' : `; ${difference}`}`;
}

/** The client's answer, in a few words. */
export function answerInWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'forward':
      return `forwarded by ${outcome.route.id === '' ? 'the default upstream' : routeInWords(outcome.route)}`;
    case 'refuse': {
      const { error, status } = entry(outcome.code);
      const missing = missingScope(outcome.code, outcome.route, outcome.identity);
      const why = missing === undefined ? (error ?? '') : `${error}, missing \`${missing}\``;
      return `refused with ${status} ${outcome.code}${why === '' ? '' : ` (${why})`}`;
    }
    case 'unavailable':
      return `unavailable: ${entry(outcome.code).status} ${outcome.code}`;
    case 'reply':
      return `answered with ${outcome.status} by the gateway itself`;
  }
}
