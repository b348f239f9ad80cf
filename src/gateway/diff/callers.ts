import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { Outcome } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import type { SimulatedOutcome } from '../explain/simulate.ts';
import type { SimulatedRequest } from '../explain/simulated-request.ts';
import type { ScopeRequirement } from '../message/scope-requirement.ts';
import { type Captures, captures } from '../routing/captures.ts';
import { looseParts } from '../routing/path-parts.ts';
import type { CompiledFile, TokenOfIssuer, UserOfScheme } from './compiled-file.ts';
import { unique } from './path-samples.ts';
import { type Users, usersFor, usersOf } from './scheme-users.ts';
import { scopeSets } from './scope-sets.ts';

/** A caller to try: without a credential, with a token that has these claims, or as a user of another scheme. */
export interface AssumedCaller {
  readonly label: string;
  readonly token?: TokenOfIssuer | undefined;
  readonly user?: UserOfScheme | undefined;
}

/** What one side does with a request of an unknown caller, and the users whom its route accepts. */
export interface Met {
  readonly side: CompiledFile;
  readonly judged: SimulatedOutcome;
  readonly users: readonly Users[];
}

export async function meet(side: CompiledFile, asked: SimulatedRequest): Promise<Met> {
  const judged = await side.ask(asked);
  return { side, judged, users: usersOf(side, judged.route) };
}

const ANONYMOUS: AssumedCaller = { label: 'without a token' };
const OTHER_AUDIENCE = 'urn:gatehouse:another-audience';

/** Every caller whom the two routes could tell apart, by issuer, audience, claims and scope, or as a user of a scheme. */
export function callersFor(old: Met, now: Met): readonly AssumedCaller[] {
  const both = [old, now];
  const sets = scopeSets(both.flatMap(({ judged }) => requirementsOf(judged.route)));
  const claimSets = unique(both.flatMap(claimsFor), (claims) => JSON.stringify(claims));
  const tokens = issuersOf(both).flatMap((issuer) =>
    audiencesFor(both, issuer).flatMap((audience) =>
      claimSets.flatMap((claims) => sets.map((scope) => caller({ issuer, audience, claims, scope }))),
    ),
  );
  const users = usersFor([old.users, now.users], { scopes: sets, claims: claimSets });
  return [ANONYMOUS, ...unique(tokens, ({ label, token }) => `${label} ${JSON.stringify(token)}`), ...users];
}

/** How one side answers the caller. */
export async function answerTo({ token, user }: AssumedCaller, asked: SimulatedRequest, met: Met): Promise<Outcome> {
  const { side, judged, users } = met;
  if (token !== undefined) return (await side.ask(asked, token)).outcome;
  const isTaken = users.some(({ whose }) => whose === user?.whose);
  return user !== undefined && isTaken ? (await side.askAs(asked, user)).outcome : judged.outcome;
}

/** The requirements of the route and of every rule for its operations. */
function requirementsOf(route: Route | undefined): readonly ScopeRequirement[] {
  if (route === undefined) return [];
  const rules = route.mcp === undefined ? [] : [...route.mcp.rules.values()];
  return [route, ...rules].flatMap(({ requirements }) => requirements.scope ?? []);
}

interface Facts {
  readonly issuer: string;
  readonly audience: { readonly aud: readonly string[]; readonly label: string };
  readonly claims: Readonly<Record<string, unknown>>;
  readonly scope: readonly string[];
}

function caller({ issuer, audience, claims, scope }: Facts): AssumedCaller {
  const parts = [
    scope.length === 0 ? 'with a token without scope' : `with scope ${scope.join(' ')}`,
    ...(audience.label === '' ? [] : [audience.label]),
    ...(Object.keys(claims).length === 0 ? [] : [`claims ${JSON.stringify(claims)}`]),
  ];
  const token = {
    issuer,
    claims: withAudience(claims, audience.aud),
    ...(scope.length > 0 && { scope: scope.join(' ') }),
    ...(audience.aud.length > 0 && { aud: [...audience.aud] }),
  };
  return { label: parts.join(', '), token };
}

/** A condition for `aud` needs one value, and the route may require another one. */
function withAudience({ aud, ...claims }: Facts['claims'], wanted: readonly string[]): Facts['claims'] {
  return aud === undefined ? claims : { ...claims, aud: [...[aud].flat(), ...wanted] };
}

function issuersOf(both: readonly Met[]): readonly string[] {
  const issuers = both.flatMap(({ side, judged }) =>
    serversOf(side, judged.route).map((name) => issuerOf(side.config, name)),
  );
  return [...new Set(issuers)];
}

function serversOf(side: CompiledFile, route: Route | undefined): readonly string[] {
  if (route === undefined || route.access === 'public') return [];
  return side.written(route)?.authorization_servers ?? Object.keys(side.config.authorization_servers);
}

function issuerOf(config: GatewayConfig, name: string): string {
  return config.authorization_servers[name]?.issuer ?? '';
}

/** Tries separate audiences only if the two routes require different ones. */
function audiencesFor(both: readonly Met[], issuer: string): readonly Facts['audience'][] {
  const wanted = both.map(({ side, judged }) => wantedBy(side, judged.route, issuer));
  const all = [...new Set(wanted.filter((audience) => audience !== undefined))];
  const every = { aud: all, label: '' };
  if (wanted[0] === wanted[1] || both.some(({ judged }) => judged.route === undefined)) return [every];
  return [every, ...[...all, OTHER_AUDIENCE].map((audience) => ({ aud: [audience], label: `audience ${audience}` }))];
}

function wantedBy(side: CompiledFile, route: Route | undefined, issuer: string): string | undefined {
  const name = serversOf(side, route).find((server) => issuerOf(side.config, server) === issuer);
  return name === undefined ? undefined : route?.requirements.audience.get(name);
}

/**
 * Tries no claims, claims that meet all conditions of the route, and these claims with every further value of a
 * condition.
 */
function claimsFor({ side, judged }: Met): readonly Facts['claims'][] {
  const { route, head } = judged;
  const written = side.written(route);
  if (route === undefined || written?.claims === undefined) return [{}];
  const parts = looseParts(head.target.split('?')[0] as string);
  const captured = captures(route, head.host?.value ?? '', parts);
  const first = meeting(written.claims, captured);
  const others = Object.entries(written.claims).flatMap(([claim, condition]) =>
    valuesOf(condition, captured).map((value) => ({ ...first, [claim]: value })),
  );
  return [{}, first, ...others];
}

type Claims = NonNullable<RouteConfig['claims']>;

/** Claims that meet every condition. */
export function meeting(claims: Claims, captured: Captures): Readonly<Record<string, unknown>> {
  const entries = Object.entries(claims).map(([claim, condition]) => [claim, valuesOf(condition, captured)[0]]);
  return Object.fromEntries(entries);
}

function valuesOf(condition: Claims[string], captured: Captures): readonly unknown[] {
  if ('one_of' in condition) return condition.one_of.map((value) => meant(value, captured));
  if ('contains' in condition) return [[meant(condition.contains, captured)]];
  return [meant(condition.equals, captured)];
}

function meant(value: unknown, captured: Captures): unknown {
  const [, place, name] = (typeof value === 'string' && /^(host|path)\.(\w+)$/.exec(value)) || [];
  return name === undefined ? value : captured[place as keyof Captures][name];
}
