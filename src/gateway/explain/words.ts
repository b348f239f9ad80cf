import type { Outcome } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import { entry } from '../message/codes.ts';
import { missingScope } from '../telemetry/decision-record.ts';

/** `orders-read (gateway.yaml:12)`. */
export function routeInWords({ id, at }: Route): string {
  return at === undefined ? `\`${id}\`` : `\`${id}\` (${at})`;
}

/** What the client is answered, in a few words. */
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
