import type { RouteFile } from '../schema/gateway.ts';
import { closest, didYouMean } from '../words/closest.ts';
import { countedByWords, parseCountedBy } from '../words/counted-by.ts';
import { countedWindowFaults } from '../words/counted-window.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import { countersFaults } from './counters.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** Rules for rate limits, and for their counters. */
export const limitChecks: Checks<GatewaySubject> = {
  counters: ({ config, around }) => countersFaults(config.counters, around),
  'what a rate limit counts by': ({ routes }) => routes.flatMap(countedByFaults),
  'window of a rate limit': ({ routes }) => routes.flatMap(windowFaults),
  'window of wrong passwords': ({ config }) => countedWindowFaults(['login', 'window'], config.login.window),
};

function countedByFaults({ at, value }: Route): readonly Finding[] {
  const by = value.rate_limit?.by;
  if (by === undefined) return [];
  const pointer = [...at, 'rate_limit', 'by'];
  const counted = parseCountedBy(by);
  if (counted === undefined)
    return [{ pointer, message: `a rate limit cannot count by \`${by}\``, hint: countedByHint(by) }];
  if (value.access !== 'public' || counted.kind === 'address') return [];
  const message = `a public route reads no credential, so it has no \`${by}\``;
  return [{ pointer, message, hint: 'write `by: address`, or `access: optional`' }];
}

/** A claim's name may be any text, so only the word before it can be misspelt. */
function countedByHint(by: string): string | undefined {
  const [, word = '', name] = /^([^:]*):(.+)$/.exec(by) ?? [];
  const isClaim = name !== undefined && closest(word, ['claim']) !== undefined;
  return isClaim ? `did you mean \`claim:${name.trim()}\`?` : didYouMean(by, countedByWords);
}

function windowFaults({ at, value }: Route): readonly Finding[] {
  const per = value.rate_limit?.per;
  return per === undefined ? [] : countedWindowFaults([...at, 'rate_limit', 'per'], per);
}
