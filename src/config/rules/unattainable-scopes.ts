import type { AuthorizationConfig } from '../schema/authorization.ts';
import type { GatewayConfig, RouteConfig } from '../schema/gateway.ts';
import type { Impliers } from '../words/implied-scopes.ts';
import { isPlaceholder } from '../words/placeholder.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import type { Member } from './checks.ts';
import { knownScopes } from './client-scope.ts';
import { scopesAt, scopeWordsAt } from './scope-words-at.ts';
import { tokenClients } from './token-clients.ts';
import { alternativesOf } from './weaker.ts';

interface Requirements {
  readonly admin: GatewayConfig['admin'];
  /** The routes that accept only tokens of the service. */
  readonly routes: readonly Member<RouteConfig>[];
  readonly impliersOf: Impliers;
  readonly service: AuthorizationConfig;
  readonly cite: (pointer: Pointer) => string;
}

/**
 * Reports requirements that no client of the service's file can meet, although each scope exists. One token belongs to one
 * client, so one client must have all scopes. If the file has no such client, all clients are in the database.
 */
export function unattainableScopes({ admin, routes, impliersOf, service, cite }: Requirements): readonly Finding[] {
  const words = tokenClients(service, admin).map(({ scope }) => scope);
  // Without secrets, a placeholder may be any scope.
  if (words.length === 0 || words.flat().some(isPlaceholder)) return [];
  const clients = words.map((each) => new Set(each));
  const has = (held: { has(word: string): boolean }, word: string) =>
    [word, ...impliersOf(word)].some((each) => held.has(each));
  const existing = new Set(knownScopes(service));
  return routes
    .flatMap(({ at, value }) => scopesAt(at, value))
    .filter(({ pointer, scope }) => scopeWordsAt(pointer, scope).every(({ word }) => has(existing, word)))
    .filter(
      ({ scope }) =>
        !alternativesOf(scope).some((words) => clients.some((held) => words.every((word) => has(held, word)))),
    )
    .map(({ pointer, scope }) => ({
      pointer,
      message: `no client in ${cite(['clients'])} may request ${typeof scope === 'string' ? `\`${scope}\`` : 'what this `scope` requires'}: the tokens of these clients get 403`,
      hint: 'add the scope to `scope` of a client there, unless a client in the database has it (`gatehouse client list`)',
    }));
}
