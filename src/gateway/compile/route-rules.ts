import { type RouteConfig, schemesOf } from '../../config/schema/gateway.ts';
import { parsePathPattern } from '../../config/words/path-pattern.ts';
import { cannot, type KeyRules, sayable } from './known-keys.ts';
import { isPathExpressible } from './path-text.ts';
import type { CannotSay } from './plan.ts';

const ASK = 'leave the route to Gatehouse with `--on-unsupported ask`';

/** What a rule about a route must know about the rest of the file. */
export interface RouteContext {
  /** Claims that the target splits into scopes, so that nothing else can read them. */
  readonly scopeClaims: ReadonlySet<string>;
  /** An expression chooses itself which headers it reads. */
  readonly readsAnyHeader: boolean;
}

/** Whether the upstream of the route compares letters exactly. */
export interface MatchContext {
  readonly caseSensitive: boolean;
}

export const matchRules: KeyRules<RouteConfig['match'], MatchContext> = {
  host: sayable,
  path: (path, { caseSensitive }) => {
    const pattern = parsePathPattern(path);
    const isSaid = pattern.kind === 'pattern' && isPathExpressible(pattern.segments, caseSensitive);
    return isSaid ? undefined : { why: 'the path has an encoded character that the proxy cannot compare', remedy: ASK };
  },
  methods: sayable,
  headers: cannot('the proxy cannot refuse a repeated header, or another spelling of its name', ASK),
  query: cannot('the proxy cannot refuse a repeated parameter, or another spelling of its name', ASK),
  soap_action: cannot('the proxy does not read the action of a SOAP message', ASK),
};

const OWN_PROXY = 'serve the route with Gatehouse itself, or remove the key';
const READS_BODY: CannotSay = {
  why: 'the proxy does not read the body of a request',
  remedy: OWN_PROXY,
  askable: false,
};

export const routeRules: KeyRules<RouteConfig, RouteContext> = {
  id: sayable,
  match: sayable,
  upstream: sayable,
  auth: (auth) =>
    schemesOf(auth).every((scheme) => scheme === 'bearer')
      ? undefined
      : { why: 'the proxy verifies only bearer tokens', remedy: ASK },
  // These blocks have an effect only if `auth` names their scheme.
  basic: sayable,
  api_key: (block) =>
    block.in === 'header'
      ? undefined
      : { why: 'the proxy does not remove an API key from the query', remedy: OWN_PROXY, askable: false },
  digest: sayable,
  access: sayable,
  scope: sayable,
  claims: claimsRule,
  when: (_, { readsAnyHeader }) => {
    // Envoy sends only the named headers, and an expression could let pass what it does not see.
    return readsAnyHeader
      ? {
          why: 'the expression can read every header, but the proxy sends Gatehouse only headers that the file names',
          remedy: 'name each header in the expression',
          askable: false,
        }
      : { why: 'the expression reads variables that the proxy does not have', remedy: ASK };
  },
  audience: sayable,
  resource: sayable,
  mcp: () => READS_BODY,
  claims_to_params: () => READS_BODY,
  origins: sayable,
  rate_limit: cannot('the proxy counts requests for each process, not for each caller', ASK),
  mode: (mode) =>
    mode === 'enforce'
      ? undefined
      : {
          why: 'the proxy cannot verify a token without enforcing the result',
          remedy: 'set `mode: enforce` for the route',
        },
  cors: () => ({ why: 'the proxy answers every preflight itself', remedy: OWN_PROXY, askable: false }),
  rewrite: () => ({
    why: 'the proxy does not send the rewritten path to the upstream',
    remedy: 'serve the route with Gatehouse itself',
    askable: false,
  }),
  authorization_servers: sayable,
  bearer_methods_supported: bearerMethodsRule,
  forward_credential: sayable,
  encoded_slashes: (value) =>
    value === 'refuse' ? undefined : { why: 'the proxy refuses %2F on every route', remedy: OWN_PROXY, askable: false },
  path_parameters: (value) =>
    value === 'refuse' ? undefined : { why: 'the proxy refuses `;` on every route', remedy: OWN_PROXY, askable: false },
  identity_headers: ({ set }) => identityRule(set),
  pass_headers: (names) =>
    names.length === 0
      ? undefined
      : { why: 'the proxy removes these headers on every route', remedy: OWN_PROXY, askable: false },
  timeout: sayable,
  request_buffering: sayable,
  end_with: (value) =>
    value === 'request'
      ? undefined
      : { why: 'the proxy does not end a stream when its token expires', remedy: OWN_PROXY, askable: false },
  limits: (limits) => bodyLimit(limits.body),
};

export function bodyLimit(size: number | 'none' | undefined): CannotSay | undefined {
  if (size === undefined || size === 'none') return undefined;
  return { why: 'the proxy does not limit the size of a streamed body', remedy: OWN_PROXY, askable: false };
}

export function bearerMethodsRule(methods: readonly string[]): CannotSay | undefined {
  if (methods.length === 1 && methods[0] === 'header') return undefined;
  const why = 'the proxy reads a token only from the Authorization header';
  // The proxy forwards the query as it came, so a token in it would reach the upstream.
  return methods.includes('query') ? { why, remedy: OWN_PROXY, askable: false } : { why, remedy: ASK };
}

/** The gateway reads the claim with exactly this name. A proxy reads a path. */
export function identityRule(set: Readonly<Record<string, string>>): CannotSay | undefined {
  const dotted = Object.values(set).find((claim) => claim.includes('.'));
  return dotted === undefined
    ? undefined
    : { why: `the proxy reads \`${dotted}\` as a path to a nested claim`, remedy: OWN_PROXY, askable: false };
}

export function splitClaim(name: string): string {
  return `the proxy splits the claim \`${name}\` into scopes, so no other rule can read this claim`;
}

const CAPTURE = /^(?:host|path)\./;

function claimsRule(claims: NonNullable<RouteConfig['claims']>, { scopeClaims }: RouteContext): CannotSay | undefined {
  for (const [name, condition] of Object.entries(claims)) {
    if (scopeClaims.has(name)) return { why: splitClaim(name), remedy: 'use `scope` of the route' };
    const values: readonly unknown[] = Object.values(condition).flat();
    if (values.some((value) => typeof value === 'string' && CAPTURE.test(value)))
      return { why: 'the proxy cannot compare a claim with a part of the host or the path', remedy: ASK };
  }
  return undefined;
}
