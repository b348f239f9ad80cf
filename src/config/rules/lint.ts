import type { AuthorizationServerConfig, RouteFile } from '../schema/gateway.ts';
import { NearWords } from '../words/near-words.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { resourceMetadataUrl } from '../words/resource-metadata.ts';
import type { Checks, Member } from './checks.ts';
import { namesIn } from './implied-scopes.ts';
import { scopeWordsOf } from './scope-words-at.ts';
import { soapLint } from './soap-lint.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** Settings that are allowed, but seldom intended. */
export const lintChecks: Checks<GatewaySubject> = {
  'scopes of nearly the same name': nearMisses,
  'notation of another file format': ({ routes }) => routes.flatMap(otherNotations),
  'route that the gateway answers itself': ({ routes, config }) =>
    routes.flatMap((route) => ownDocument(route, config.resource)),
  'SOAP operation that the caller chooses': soapLint,
  'two values for one header of a match': ({ routes }) => routes.flatMap(contradictions),
  'token in the query': ({ routes, config }) => [
    ...queryToken(['bearer_methods_supported'], config.bearer_methods_supported),
    ...routes.flatMap(({ at, value }) =>
      value.access === 'public' ? [] : queryToken([...at, 'bearer_methods_supported'], value.bearer_methods_supported),
    ),
  ],
  'weak setting of a server': ({ servers }) => servers.flatMap(weaknesses),
};

/** Valid settings that are probably habits from another file format. */
function otherNotations({ at, value }: Route): readonly Finding[] {
  const segment = value.match.path.split('/').find((each) => /^:\w/.test(each));
  const comma = scopeWordsOf(at, value).find(hasComma);
  return [
    ...(segment === undefined ? [] : [literalColon([...at, 'match', 'path'], segment)]),
    ...(comma === undefined ? [] : [commaInScope(comma.pointer, comma.word)]),
  ];
}

const hasComma = ({ word }: { word: string }) => word.includes(',');

function literalColon(pointer: Pointer, segment: string): Finding {
  const message = `this matches only the literal text \`${segment}\``;
  return { pointer, severity: 'warning', message, hint: `write \`{${segment.slice(1)}}\` for any segment` };
}

function commaInScope(pointer: Pointer, word: string): Finding {
  const message = `\`${word}\` is one scope, because the comma is part of it`;
  return { pointer, severity: 'warning', message, hint: 'write spaces between scopes (RFC 6749 §3.3)' };
}

/** With a list of scopes, a typing error is already an error. */
function nearMisses({ routes, config }: GatewaySubject): readonly Finding[] {
  if (config.scopes_supported !== undefined) return [];
  const ofRoutes = routes.flatMap(({ at, value }) => scopeWordsOf(at, value));
  const stronger = namesIn(config.scopes).filter(({ atKey }) => atKey);
  const used = [...ofRoutes, ...stronger.map(({ pointer, name, atKey }) => ({ pointer, word: name, atKey }))];
  const seen = new Set<string>();
  const known = new NearWords();
  return used.flatMap(({ word, ...place }): Finding[] => {
    if (seen.has(word) || word.length < SHORTEST) return [];
    seen.add(word);
    const near = known.find(word);
    known.add(word);
    if (near === undefined) return [];
    const message = `\`${word}\` and \`${near}\` are nearly the same scope`;
    return [
      { ...place, severity: 'warning', message, hint: 'list the scopes in `scopes_supported` if both are meant' },
    ];
  });
}

/** Shorter names that differ by one letter probably differ on purpose. */
const SHORTEST = 5;

/** RFC 9728: the gateway serves the metadata of its resource before it tries any route. */
function ownDocument({ at, value }: Route, resource: string | undefined): readonly Finding[] {
  if (resource === undefined || !URL.canParse(resource)) return [];
  if (value.match.path !== resourceMetadataUrl(resource).pathname) return [];
  const message = 'the gateway answers this path itself, so the route never matches';
  return [{ pointer: [...at, 'match', 'path'], severity: 'warning', message, hint: 'remove the route, or `resource`' }];
}

/** Header names are case-insensitive, so two spellings are one header with one value. */
function contradictions({ at, value }: Route): readonly Finding[] {
  const entries = Object.entries(value.match.headers ?? {});
  return entries.flatMap(([name, wanted], index): Finding[] => {
    const same = ([other, text]: readonly [string, string]) =>
      other.toLowerCase() === name.toLowerCase() && text !== wanted;
    if (!entries.slice(0, index).some(same)) return [];
    const message = 'this can never match: another spelling of this header requires another value';
    return [{ pointer: [...at, 'match', 'headers', name], severity: 'warning', message, atKey: true }];
  });
}

function queryToken(at: Pointer, methods: readonly string[] | undefined): readonly Finding[] {
  const index = methods?.indexOf('query') ?? -1;
  if (index === -1) return [];
  const message =
    'a token in the query ends up in logs, histories and Referer headers (RFC 6750 §5.3, RFC 9700 §4.3.2)';
  return [
    {
      pointer: [...at, index],
      severity: 'warning',
      message,
      hint: 'write `query` only in the routes that need it',
    },
  ];
}

interface Weakness {
  readonly key: Pointer;
  readonly value: (server: AuthorizationServerConfig) => number;
  /** Milliseconds. */
  readonly most: number;
  readonly message: string;
  readonly hint: string;
}

const MINUTE = 60_000;

const table: readonly Weakness[] = [
  {
    key: ['clock_skew'],
    value: ({ clock_skew }) => clock_skew,
    most: 5 * MINUTE,
    message: 'expired tokens are accepted for this long',
    hint: 'write 30s: synchronized clocks differ by a few seconds at most',
  },
  {
    key: ['cache', 'ttl'],
    value: ({ cache }) => cache.ttl,
    most: 15 * MINUTE,
    message: 'revoked tokens are accepted for this long',
    hint: 'write 1m: one minute already saves nearly all calls',
  },
];

function weaknesses({ at, value: server }: Member<AuthorizationServerConfig>): readonly Finding[] {
  return table
    .filter(({ value, most }) => value(server) > most)
    .map(({ key, message, hint }) => ({ pointer: [...at, ...key], severity: 'warning', message, hint }));
}
