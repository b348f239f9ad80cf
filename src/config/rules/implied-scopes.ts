import { didYouMean } from '../words/closest.ts';
import { MOST_RULES } from '../words/implied-scopes.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { scopeTokenFault } from '../words/scope-words.ts';
import type { Checks } from './checks.ts';
import { scopeWordsOf } from './scope-words-at.ts';
import type { GatewaySubject } from './subject.ts';

/** Rules for scopes that imply others. */
export const impliedScopeChecks: Checks<GatewaySubject> = {
  'names in scopes': ({ config }) =>
    namesIn(config.scopes).flatMap(({ pointer, name, atKey }): Finding[] => {
      const message = nameFault(name);
      return message === undefined ? [] : [{ pointer, message, hint: 'write each scope as its own entry', atKey }];
    }),
  'too many scopes': ({ config }) =>
    Object.keys(config.scopes ?? {}).length <= MOST_RULES
      ? []
      : [
          {
            pointer: ['scopes'],
            message: `\`scopes\` may have at most ${MOST_RULES} entries`,
            hint: 'name the alternatives in the routes instead: `scope: { any_of: […] }`',
            atKey: true,
          },
        ],
  'scope that implies itself': cycles,
  'implied scope twice': ({ config }) =>
    Object.entries(config.scopes ?? {}).flatMap(([name, { implies }]) =>
      implies.flatMap((scope, index): Finding[] => {
        if (implies.indexOf(scope) === index) return [];
        return [{ pointer: ['scopes', name, 'implies', index], message: `\`${scope}\` occurs twice` }];
      }),
    ),
  'unknown scope in scopes': ({ config: { scopes, scopes_supported: supported } }) =>
    supported === undefined
      ? []
      : namesIn(scopes)
          .filter(({ name }) => nameFault(name) === undefined && !supported.includes(name))
          .map(({ pointer, name, atKey }) => ({
            pointer,
            message: `\`${name}\` is not in scopes_supported`,
            hint: didYouMean(name, supported),
            atKey,
          })),
  'implied scope that no route requires': uselessImplications,
};

type Scopes = GatewaySubject['config']['scopes'];

interface ScopeName {
  readonly pointer: Pointer;
  readonly name: string;
  readonly atKey: boolean;
}

/** Each name with its place: the scopes, and those that they imply. */
export function namesIn(scopes: Scopes): readonly ScopeName[] {
  return Object.entries(scopes ?? {}).flatMap(([name, { implies }]) => [
    { pointer: ['scopes', name], name, atKey: true },
    ...implies.map((scope, index) => ({ pointer: ['scopes', name, 'implies', index], name: scope, atKey: false })),
  ]);
}

function nameFault(name: string): string | undefined {
  return name.includes(' ') ? `\`${name}\` has a space, so it is more than one scope` : scopeTokenFault(name);
}

/**
 * In a cycle, a token with one of the scopes would have all of them. Each cycle has at least one implication that leads to
 * an earlier entry of the file, or to the same one.
 */
function cycles({ config: { scopes = {} }, tokenRules: { impliersOf }, around }: GatewaySubject): readonly Finding[] {
  const order = new Map(Object.keys(scopes).map((name, index) => [name, index]));
  return Object.entries(scopes).flatMap(([name, { implies }], place) =>
    implies.flatMap((scope, index): Finding[] => {
      const pointer = ['scopes', name, 'implies', index];
      if (scope === name) return [{ pointer, message: `\`${name}\` implies itself`, hint: 'remove it here' }];
      if ((order.get(scope) ?? place) >= place || !impliersOf(name).includes(scope)) return [];
      const message = `\`${scope}\` already implies \`${name}\` (${around.cite(['scopes', scope])}), so a token with one of these scopes would have both`;
      return [{ pointer, message, hint: 'remove one of the two implications' }];
    }),
  );
}

/** With a list of scopes, a typing error is already an error. */
function uselessImplications({
  config: { scopes = {}, scopes_supported },
  routes,
}: GatewaySubject): readonly Finding[] {
  if (scopes_supported !== undefined) return [];
  const required = new Set(routes.flatMap(({ value }) => scopeWordsOf([], value).map(({ word }) => word)));
  return namesIn(scopes)
    .filter(({ name, atKey }) => !atKey && nameFault(name) === undefined)
    .filter(({ name }) => !required.has(name) && !Object.hasOwn(scopes, name))
    .map(({ pointer, name }) => ({
      pointer,
      severity: 'warning',
      message: `no route requires \`${name}\`, so this has no effect`,
      hint: didYouMean(name, required) ?? 'remove it, or list all scopes in `scopes_supported`',
    }));
}
