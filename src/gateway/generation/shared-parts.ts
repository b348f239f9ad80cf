import { headersThatDecide } from '../../config/rules/looked-at.ts';
import type { BearerMethod, GatewayConfig, RouteConfig, ScopeConfig } from '../../config/schema/gateway.ts';
import { fold } from '../../config/words/fold-name.ts';
import { impliersIn } from '../../config/words/implied-scopes.ts';
import { claimConditions } from '../decide/claim-conditions.ts';
import type { DecisiveFields } from '../decide/framing.ts';
import type { Requirements } from '../decide/permit.ts';
import type { RouteLimits } from '../decide/route.ts';
import { type Unseen, unseenIn } from '../decide/unseen.ts';
import { compileWhen } from '../decide/when.ts';
import { repeatedReads } from '../decide/when-reads.ts';
import type { VerifyBearer } from '../message/identity.ts';
import { type ScopeRequirement, scopeRequirement } from '../message/scope-requirement.ts';
import { oncePerInput } from './once-per-input.ts';
import { inShadowMode } from './shadow-mode.ts';

/** The verifier for the tokens of these authorization servers. */
export type Verifier = (serverNames: readonly string[]) => VerifyBearer;

/** Parts that many routes have in common. They are made once for all of them. */
export function sharedParts(config: GatewayConfig, verifier: Verifier) {
  const impliersOf = impliersIn(config.scopes);
  const scope = oncePerInput((wanted: ScopeConfig) => scopeRequirement(wanted, impliersOf));
  return {
    methods: oncePerInput((methods: readonly string[]): ReadonlySet<string> => new Set(methods)),
    bearerMethods: oncePerInput((methods: readonly BearerMethod[]): ReadonlySet<BearerMethod> => new Set(methods)),
    origins: oncePerInput((origins: readonly string[]): ReadonlySet<string> => new Set(origins.map(inLowerCase))),
    verifier: oncePerInput(verifier),
    scope,
    requirements: requirementsOnce(config, scope),
    limits: oncePerInput(routeLimits),
    decisive: decisiveOnce(),
    onlyLooksOn: inShadowMode(config),
  };
}

const inLowerCase = (text: string) => text.toLowerCase();

/** Conditions belong to one route, because their source would be a large key. */
function requirementsOnce(
  config: GatewayConfig,
  scope: (wanted: ScopeConfig) => ScopeRequirement,
): (route: RouteConfig, servers: readonly string[]) => Requirements {
  const audience = oncePerInput((wanted: Wanted) => audiences(config, wanted));
  const plain = oncePerInput(
    (of: Wanted & { readonly scope: ScopeConfig | undefined }): Requirements => ({
      scope: of.scope === undefined ? undefined : scope(of.scope),
      audience: audience({ audience: of.audience, servers: of.servers }),
      claims: undefined,
      when: undefined,
      repeated: undefined,
    }),
  );
  return (route, servers) => {
    const { audience, scope, claims, when } = route;
    const common = plain({ audience, servers, scope });
    if (claims === undefined && when === undefined) return common;
    return {
      ...common,
      claims: claims && claimConditions(claims),
      ...(when !== undefined && conditionsOf(when, unseenIn(route))),
    };
  };
}

function conditionsOf(when: string, unseen: Unseen): Pick<Requirements, 'when' | 'repeated'> {
  return { when: compileWhen(when, unseen), repeated: repeatedReads(when, unseen) };
}

function decisiveOnce(): (route: RouteConfig) => DecisiveFields {
  const made = oncePerInput((names: readonly string[]): DecisiveFields => new Set(names));
  return (route) => {
    const names = headersThatDecide(route);
    return names === 'any' ? names : made([...names].map(fold).sort());
  };
}

/** As in the file. */
interface WantedLimits {
  readonly response: number | 'none';
  readonly idle: number | 'none';
  readonly body: number | 'none';
  readonly form: number;
}

function routeLimits({ response, idle, body, form }: WantedLimits): RouteLimits {
  return { response: limit(response), idle: limit(idle), body: limit(body), form };
}

export type GenerationParts = ReturnType<typeof sharedParts>;

interface Wanted {
  /** From the route. */
  readonly audience: string | undefined;
  readonly servers: readonly string[];
}

/** The route's audience for each server whose tokens it accepts. Otherwise each server's own. `any`: no check. */
function audiences(config: GatewayConfig, { audience, servers }: Wanted): ReadonlyMap<string, string> {
  const wanted = servers.map((name) => [name, audience ?? config.authorization_servers[name]?.audience] as const);
  return new Map(wanted.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== 'any'));
}

function limit(value: number | 'none'): number {
  return value === 'none' ? Number.POSITIVE_INFINITY : value;
}
