import { type RouteFile, type ScopeConfig, schemesOf } from '../schema/gateway.ts';
import { schemeNames } from '../schema/http-schemes.ts';
import { didYouMean } from '../words/closest.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { scopeTokenFault, scopeWords } from '../words/scope-words.ts';
import type { Checks, Member } from './checks.ts';
import { scopesAt } from './scope-words-at.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** The access rules of a route. */
export const accessChecks: Checks<GatewaySubject> = {
  'access or scope': ({ routes }) => routes.flatMap(accessFaults),
  'requirements of a public route': ({ routes }) => routes.flatMap(publicFaults),
  'scope of a route': ({ routes, config }) => routes.flatMap((route) => scopeFaults(route, config.scopes_supported)),
  'scopes supported': ({ config }) =>
    (config.scopes_supported ?? []).flatMap((token, index) => tokenFault(['scopes_supported', index], token)),
  'authorization server of a route': ({ routes, known }) =>
    routes.flatMap((route) => serverFaults(route, known.servers)),
  'no server can verify tokens': ({ routes, known }) =>
    routes.flatMap((route) => (known.servers.length > 0 ? [] : noServerFault(route))),
};

/** A route needs an explicit access rule, so that a forgotten line opens nothing. */
function accessFaults({ at, value }: Route): readonly Finding[] {
  const forAnyOperation = value.mcp?.scope?.['*'];
  if (value.access !== undefined || value.scope !== undefined || forAnyOperation !== undefined) return [];
  const message = 'this route has neither `scope` nor `access`';
  return [
    {
      pointer: at,
      message,
      hint: 'write `scope: …` for the scope that a token needs, or `access: public`, `optional` or `authenticated`',
    },
  ];
}

const conditions = [
  'auth',
  ...schemeNames,
  'scope',
  'claims',
  'when',
  'audience',
  'authorization_servers',
  'bearer_methods_supported',
] as const;

function publicFaults({ at, value }: Route): readonly Finding[] {
  if (value.access !== 'public') return [];
  return conditions
    .filter((key) => value[key] !== undefined)
    .map((key) => ({
      pointer: [...at, key],
      message: `a public route reads no credential, so \`${key}\` would not be checked`,
      hint: `remove \`${key}\`, or \`access: public\``,
      atKey: true,
    }));
}

function scopeFaults({ at, value }: Route, supported: readonly string[] | undefined): readonly Finding[] {
  const texts = scopesAt(at, value).flatMap(({ pointer, scope }) => scopeTexts(pointer, scope));
  return texts.flatMap(({ pointer, text }) =>
    scopeWords(text).flatMap((token) => {
      const faults = tokenFault(pointer, token);
      if (faults.length > 0 || supported === undefined || supported.includes(token)) return faults;
      return [{ pointer, message: `\`${token}\` is not in scopes_supported`, hint: didYouMean(token, supported) }];
    }),
  );
}

function scopeTexts(at: Pointer, scope: ScopeConfig): readonly { pointer: Pointer; text: string }[] {
  if (typeof scope === 'string') return [{ pointer: at, text: scope }];
  const [key, texts] = 'any_of' in scope ? (['any_of', scope.any_of] as const) : (['all_of', scope.all_of] as const);
  return texts.map((text, index) => ({ pointer: [...at, key, index], text }));
}

function tokenFault(pointer: Pointer, token: string): readonly Finding[] {
  const message = scopeTokenFault(token);
  return message === undefined ? [] : [{ pointer, message }];
}

function serverFaults({ at, value }: Route, known: readonly string[]): readonly Finding[] {
  return (value.authorization_servers ?? []).flatMap((name, index, all): Finding[] => {
    const pointer = [...at, 'authorization_servers', index];
    if (!known.includes(name))
      return [{ pointer, message: `there is no authorization server \`${name}\``, hint: didYouMean(name, known) }];
    return all.indexOf(name) === index ? [] : [{ pointer, message: `\`${name}\` occurs twice` }];
  });
}

function noServerFault({ at, value }: Route): readonly Finding[] {
  if (value.access === 'public' || value.authorization_servers !== undefined) return [];
  if (!schemesOf(value.auth).includes('bearer')) return [];
  return [
    {
      pointer: at,
      message: 'no authorization server could verify a token for this route',
      hint: 'describe one in `authorization_servers`',
    },
  ];
}
