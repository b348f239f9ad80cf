import type { AuthorizationServerConfig, RouteFile, ScopeConfig } from '../schema/gateway.ts';
import { type AuthScheme, blocksOf, type SchemeBlocks, schemesOf } from '../schema/http-schemes.ts';
import type { Impliers } from '../words/implied-scopes.ts';
import { scopeWords } from '../words/scope-words.ts';

type Asked = SchemeBlocks &
  Pick<RouteFile, 'access' | 'auth' | 'scope' | 'claims' | 'when' | 'origins' | 'audience' | 'authorization_servers'>;

/** Each server whose tokens a route accepts by default, by name, with its default audience. */
export type Servers = Readonly<Record<string, Pick<AuthorizationServerConfig, 'audience'>>>;

/** What the file says about tokens for all of its routes. */
export interface TokenRules {
  readonly servers: Servers;
  readonly impliersOf: Impliers;
}

/** True if a rule accepts a caller whom the other rule refuses, as far as the file shows. */
export function isWeaker(rule: Asked, other: Asked, rules: TokenRules): boolean {
  const [mine, theirs] = [rankOf(rule), rankOf(other)];
  if (mine !== theirs || theirs < AUTHENTICATED) return mine < theirs;
  return !holding.every((holds) => holds(rule, other, rules));
}

const AUTHENTICATED = 2;
const ranks = { public: 0, optional: 1, authenticated: AUTHENTICATED } as const;

/** `claims` and `when` apply to every valid token, in addition to the scope. So they do not count here. */
function rankOf({ access }: Asked): number {
  return access === undefined ? AUTHENTICATED : ranks[access];
}

/** Each function compares one requirement: true if a request that passes the first rule also passes the second. */
const holding: readonly ((mine: Asked, theirs: Asked, rules: TokenRules) => boolean)[] = [
  holdsScope,
  holdsClaims,
  ({ when: mine }, { when: theirs }) => theirs === undefined || mine === theirs,
  holdsOrigins,
  holdsSchemes,
  holdsTokens,
];

/** Each alternative of the first scope must be enough for the second. Each token that satisfies a scope satisfies what it implies. */
function holdsScope({ scope: mine }: Asked, { scope: theirs }: Asked, { impliersOf }: TokenRules): boolean {
  if (theirs === undefined) return true;
  const wanted = alternativesOf(theirs);
  const covers = (held: Tokens, token: string) => held.has(token) || impliersOf(token).some((each) => held.has(each));
  return alternativesOf(mine ?? '').every((held) =>
    wanted.some((tokens) => tokens.every((token) => covers(held, token))),
  );
}

/** OR of AND. */
export function alternativesOf(scope: ScopeConfig): readonly Tokens[] {
  if (typeof scope === 'string') return [tokensOf(scope)];
  return 'any_of' in scope ? scope.any_of.map(tokensOf) : [tokensOf(scope.all_of.join(' '))];
}

type Tokens = { has(token: string): boolean; every(judge: (token: string) => boolean): boolean };

function tokensOf(text: string): Tokens {
  const tokens = scopeWords(text).filter(Boolean);
  return { has: (token) => tokens.includes(token), every: (judge) => tokens.every(judge) };
}

function holdsClaims({ claims: mine = {} }: Asked, { claims: theirs = {} }: Asked): boolean {
  return Object.entries(theirs).every(([name, wanted]) => JSON.stringify(mine[name]) === JSON.stringify(wanted));
}

/** Each page that the first rule accepts must be in the list of the second. */
function holdsOrigins({ origins: mine }: Asked, { origins: theirs }: Asked): boolean {
  if (theirs === undefined) return true;
  const listed = new Set(theirs.map((origin) => origin.toLowerCase()));
  return mine?.every((origin) => listed.has(origin.toLowerCase())) === true;
}

function holdsSchemes(mine: Asked, theirs: Asked): boolean {
  const taken = schemesOf(theirs.auth);
  return schemesOf(mine.auth).every((scheme) => taken.includes(scheme) && holdsUsers(scheme, mine, theirs));
}

/** Two sources of users are two sets of people. Other functions compare their scopes. */
function holdsUsers(scheme: AuthScheme, mine: Asked, theirs: Asked): boolean {
  if (scheme === 'bearer') return true;
  const [one, other] = [mine, theirs].map((route) => peopleOf(scheme, route));
  return one === other;
}

function peopleOf(scheme: AuthScheme, route: Asked): string {
  const block = blocksOf(route).find(({ name }) => name === scheme);
  return JSON.stringify(block?.row.people(block.block) ?? null);
}

/** The other rule must accept the tokens of every server of the first rule, for the same audience or for any. */
function holdsTokens(mine: Asked, theirs: Asked, { servers }: TokenRules): boolean {
  if (!schemesOf(mine.auth).includes('bearer')) return true;
  const [held, wanted] = [audiencesOf(mine, servers), audiencesOf(theirs, servers)];
  return [...held].every(([name, audience]) => {
    const other = wanted.get(name);
    return other === ANY || (other !== undefined && other === audience);
  });
}

const ANY = 'any';

/** Server → the value that `aud` must contain. */
function audiencesOf({ audience, authorization_servers }: Asked, servers: Servers): ReadonlyMap<string, string> {
  const names = authorization_servers ?? Object.keys(servers);
  return new Map(names.map((name) => [name, audience ?? servers[name]?.audience ?? ANY]));
}
