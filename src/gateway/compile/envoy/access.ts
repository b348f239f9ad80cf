import { mediaType } from '../../../base/token-type.ts';
import type { ScopeRequirement } from '../../message/scope-requirement.ts';
import { caseless } from '../path-text.ts';
import type { PlannedRoute } from '../plan.ts';
import { lifetimeCondition } from './lifetime.ts';
import type { EnvoyPart } from './part.ts';
import {
  allOf,
  anyOf,
  claimMatches,
  exactText,
  exactValue,
  listWith,
  not,
  PRESENT,
  textLike,
  tokenPlace,
  valueAt,
} from './principals.ts';
import type { TokenProvider } from './providers.ts';

const ANYONE: EnvoyPart = { permissions: [{ any: true }], principals: [{ any: true }] };

/**
 * Who may use a route, as policies of RBAC. Each route has its own list: policies of one list are alternatives, so a
 * wider route would open a narrower one.
 */
export function accessPolicies(route: PlannedRoute, providers: readonly TokenProvider[]): EnvoyPart {
  if (route.access === 'public') return { anyone: ANYONE };
  const policies = providers.map((provider) => [provider.name, tokenPolicy(route, provider)] as const);
  if (route.access !== 'optional') return Object.fromEntries(policies);
  return { ...Object.fromEntries(policies), without_token: strangerPolicy(providers) };
}

/** Without a token, and without one that jwt_authn did not verify. It removes a verified one, or writes its payload. */
function strangerPolicy(providers: readonly TokenProvider[]): EnvoyPart {
  const principal = allOf([
    not({ header: { name: 'authorization', present_match: true } }),
    ...providers.map(({ name }) => not(valueAt([tokenPlace(name).payload], PRESENT))),
  ]);
  return { permissions: [{ any: true }], principals: [principal] };
}

function tokenPolicy(route: PlannedRoute, provider: TokenProvider): EnvoyPart {
  const { payload } = tokenPlace(provider.name);
  const { clock_skew, max_token_lifetime, scope_claims } = provider.server.config;
  const principal = allOf([
    ...headerRules(provider),
    ...claimRules(route, provider),
    ...(route.scope === undefined ? [] : [scopeRule(route.scope, payload, scope_claims)]),
  ]);
  const times = { skew: clock_skew / 1000, maxLifetime: max_token_lifetime / 1000 };
  return { permissions: [{ any: true }], principals: [principal], condition: lifetimeCondition(payload, times) };
}

/** Header parameters that carry a key, or that the gateway does not support: the list of `parseJws`. */
const FORBIDDEN = ['crit', 'b64', 'jku', 'jwk', 'x5u', 'x5c', 'zip', 'enc'];

/** RFC 8725 §3.1, §3.11: jwt_authn takes any algorithm of a key, and any type. */
function headerRules({ name, server }: TokenProvider): readonly EnvoyPart[] {
  const { header } = tokenPlace(name);
  const { typ, algorithms } = server.config;
  return [
    anyOf(typ.map((each) => typeRule(header, each))),
    anyOf(algorithms.map((each) => valueAt([header, 'alg'], exactText(each)))),
    ...FORBIDDEN.map((each) => not(valueAt([header, each], PRESENT))),
  ];
}

/** RFC 7515 §4.1.9: case does not matter, and `application/` may be left out. */
function typeRule(header: string, typ: string): EnvoyPart {
  if (typ === 'absent') return not(valueAt([header, 'typ'], PRESENT));
  const letters = (text: string) => [...text].map(caseless).join('');
  return valueAt([header, 'typ'], textLike(`(?:${letters('application/')})?${letters(mediaType(typ))}`));
}

/** UTF-8 of one character that no program trims. The ranges leave out the lead bytes of blanks beyond ASCII. */
const SOLID =
  '(?:[\\x21-\\x7e]|[\\xc3-\\xdf][\\x80-\\xbf]|[\\xe4-\\xee][\\x80-\\xbf]{2}|[\\xf0-\\xf4][\\x80-\\xbf]{3})';
/** One line without a blank at either end. Envoy matches octets. */
const LINE = `(?:${SOLID}(?:[^\\x00-\\x1f\\x7f]*${SOLID})?)?`;

function claimRules({ servers, config, identity }: PlannedRoute, provider: TokenProvider): readonly EnvoyPart[] {
  const { payload } = tokenPlace(provider.name);
  const { name, config: server } = provider.server;
  const audience = servers.get(name);
  return [
    valueAt([payload, 'iss'], exactText(server.issuer)),
    // RFC 7800 §3.1: such a token needs a proof that the proxy does not check.
    not(valueAt([payload, 'cnf'], PRESENT)),
    // RFC 8417 §2.2: the token is a security event, such as a logout token.
    not(valueAt([payload, 'events'], PRESENT)),
    absentOr(payload, 'sub', textLike('(?s).*')),
    ...(audience === undefined ? [] : [audienceRule(payload, audience)]),
    ...Object.entries(server.required_claims).map(([claim, values]) =>
      anyOf(values.map((value) => claimMatches(payload, claim, exactText(value)))),
    ),
    ...Object.entries(config.claims ?? {}).map(([claim, condition]) => conditionRule(payload, claim, condition)),
    ...Object.values(identity.set).map((claim) => headerRule(payload, claim, server.scope_claims)),
  ];
}

function absentOr(payload: string, claim: string, value: EnvoyPart): EnvoyPart {
  return anyOf([not(valueAt([payload, claim], PRESENT)), valueAt([payload, claim], value)]);
}

function audienceRule(payload: string, audience: string): EnvoyPart {
  const exact = exactText(audience);
  return anyOf([valueAt([payload, 'aud'], exact), valueAt([payload, 'aud'], listWith(exact))]);
}

type ClaimCondition = NonNullable<PlannedRoute['config']['claims']>[string];

function conditionRule(payload: string, claim: string, condition: ClaimCondition): EnvoyPart {
  if ('one_of' in condition)
    return anyOf(condition.one_of.map((value) => claimMatches(payload, claim, exactValue(value))));
  if ('contains' in condition) return claimMatches(payload, claim, listWith(exactValue(condition.contains)));
  return claimMatches(payload, claim, exactValue(condition.equals));
}

/** A claim becomes a header only if the header can contain it. Claims with scopes are lists here. */
function headerRule(payload: string, claim: string, scopeClaims: readonly string[]): EnvoyPart {
  if (!scopeClaims.includes(claim)) return absentOr(payload, claim, textLike(LINE));
  return not(valueAt([payload, claim], listWith(textLike('(?s).*[\\x00-\\x20\\x7f].*'))));
}

/** RFC 6749 §3.3: exact, in any claim with scopes, or through a scope that implies the required one. */
function scopeRule(
  { alternatives, impliers }: ScopeRequirement,
  payload: string,
  claims: readonly string[],
): EnvoyPart {
  const held = (scope: string) => claims.map((claim) => claimMatches(payload, claim, listWith(exactText(scope))));
  const covered = (scope: string) => anyOf([scope, ...(impliers?.get(scope) ?? [])].flatMap(held));
  return anyOf(alternatives.map((scopes) => allOf(scopes.map(covered))));
}
