import { clearPath, literalTexts } from '../path-text.ts';
import type { CompilePlan, PlannedRoute } from '../plan.ts';
import { call, callOn, members, textConst } from './cel.ts';
import { type EnvoyPart, extension, matchingRegex, typed } from './part.ts';

const RBAC = 'envoy.extensions.filters.http.rbac.v3.RBAC';
export const [GUARD, CREDENTIAL, ACCESS] = ['gatehouse.guard', 'gatehouse.credential', 'gatehouse.access'] as const;

/** RFC 3986 §3.4, and the characters that browsers do not encode in a query. */
const QUERY = '[A-Za-z0-9._~!$&\'()*+,;=:@/?%\\[\\]{}|^`"<>\\\\-]*';

/**
 * RFC 1123 §2.1, with the underscore of container networks. The last label begins with no digit, unless the host is an
 * IPv4 address.
 */
const LABEL = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const LAST = '[A-Za-z_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const PORT = '(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';
export const ANY_PORT = `(?::${PORT})?`;
const HOST = `(?:(?:${LABEL}\\.)*${LAST}|(?:${OCTET}\\.){3}${OCTET})${ANY_PORT}`;

/**
 * The first filter. It judges the path as received, before any route: only a path with one reading passes. So the rules
 * after it see the path that the upstream sees.
 */
export function guardFilter({ routes }: CompilePlan): EnvoyPart {
  const path = `(?:${clearPath(literalTexts(routes))})(?:\\?${QUERY})?`;
  const policies = {
    path: refusing(unlike(':path', path)),
    host: refusing(unlike(':authority', HOST)),
    long_host: refusing(unlike(':authority', '.{1,253}')),
    method: refusing({ header: { name: ':method', string_match: matchingRegex('CONNECT|TRACE') } }),
  };
  return extension(GUARD, RBAC, { rules: { action: 'DENY', policies } });
}

function refusing(permission: EnvoyPart): EnvoyPart {
  return { permissions: [permission], principals: [{ any: true }] };
}

function unlike(name: string, regex: string): EnvoyPart {
  return { not_rule: { header: { name, string_match: matchingRegex(regex) } } };
}

/** Without rules of a route, nothing passes. */
export function closedFilter(name: string): EnvoyPart {
  return extension(name, RBAC, { rules: { action: 'ALLOW', policies: {} } });
}

export function rulesOfRoute(policies: EnvoyPart): EnvoyPart {
  return typed('envoy.extensions.filters.http.rbac.v3.RBACPerRoute', {
    rbac: { rules: { action: 'ALLOW', policies } },
  });
}

/** For a route that another filter judges. */
export function withoutRules(): EnvoyPart {
  return typed('envoy.extensions.filters.http.rbac.v3.RBACPerRoute');
}

/** RFC 7515 §2: base64url without padding, and without unused bits in the last character. */
const B = '[A-Za-z0-9_-]';
const PART = `(?:${B}{4})*(?:${B}{4}|${B}[AQgw]|${B}{2}[AEIMQUYcgkosw048])`;
const BEARER = `Bearer +${PART}\\.${PART}\\.${PART}`;

/** `access_token` as the name of a parameter, in any encoding. */
const TOKEN_NAME = [...'access_token'].map(inAnyEncoding).join('');
const TOKEN_IN_QUERY = `[^?]*\\?(?:.*[&;])?${TOKEN_NAME}(?:[=&;].*)?`;

function inAnyEncoding(character: string): string {
  const spellings = [...new Set([character, character.toUpperCase()])].flatMap((each) => {
    const hex = each.charCodeAt(0).toString(16);
    return [each, `%${hex}`, `%${hex.toUpperCase()}`];
  });
  return `(?:${[...new Set(spellings)].join('|')})`;
}

/**
 * The form of the credential. jwt_authn finds a token anywhere in the Authorization header, even behind another scheme.
 * A token in the query counts as a second one (RFC 6750 §2).
 */
export function credentialPolicies({ access, config }: PlannedRoute): EnvoyPart {
  const rules = [...(access === 'public' ? [] : [oneToken()]), ...(config.origins ? [fromPages(config.origins)] : [])];
  const permission = rules.length === 0 ? { any: true } : { and_rules: { rules } };
  return { form: { permissions: [permission], principals: [{ any: true }] } };
}

/**
 * Envoy joins the lines of a field before it asks, so Gatehouse would not see that a field occurs twice. Only an
 * expression sees the joined value here: other matchers try each line.
 */
export function singleLinePolicies(names: readonly string[]): EnvoyPart {
  const [first, ...others] = names.map(hasOneLine);
  const condition = first && others.reduce((all, each) => call('_&&_', all, each), first);
  return { form: { permissions: [{ any: true }], principals: [{ any: true }], ...(condition && { condition }) } };
}

function hasOneLine(name: string): EnvoyPart {
  const headers = members('request', 'headers');
  const isJoined = callOn(call('_[_]', headers, textConst(name)), 'contains', textConst(','));
  return call('_||_', call('!_', call('@in', textConst(name), headers)), call('!_', isJoined));
}

function oneToken(): EnvoyPart {
  const absent = { not_rule: { header: { name: 'authorization', present_match: true } } };
  const wellFormed = { header: { name: 'authorization', string_match: matchingRegex(BEARER) } };
  const elsewhere = { header: { name: ':path', string_match: matchingRegex(TOKEN_IN_QUERY) } };
  return { and_rules: { rules: [{ or_rules: { rules: [absent, wellFormed] } }, { not_rule: elsewhere }] } };
}

/** A request that no page sent has no Origin. */
function fromPages(origins: readonly string[]): EnvoyPart {
  const absent = { not_rule: { header: { name: 'origin', present_match: true } } };
  const listed = origins.map((exact) => ({ header: { name: 'origin', string_match: { exact, ignore_case: true } } }));
  return { or_rules: { rules: [absent, ...listed] } };
}
