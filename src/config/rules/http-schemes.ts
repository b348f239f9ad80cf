import { countersParts } from '../schema/counters.ts';
import { type RouteFile, schemesOf } from '../schema/gateway.ts';
import { blocksOf } from '../schema/http-schemes.ts';
import { trustedParts } from '../schema/trusted-proxies.ts';
import type { FileFacts, PlacedBlock, RouteFacts, SchemeRow } from '../schemes/scheme.ts';
import { schemes } from '../schemes/table.ts';
import { ANSWER_TIMES } from '../words/answer-times.ts';
import type { Finding } from '../words/problem.ts';
import type { Check, Checks, Member } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

type Route = Member<RouteFile>;

/** Rules for the credential schemes of routes: common rules, and then the rules of each scheme. */
export const httpSchemeChecks: Checks<GatewaySubject> = {
  'schemes of a route': ({ routes }) => routes.flatMap(schemeFaults),
  'block of a scheme': ({ routes }) => routes.flatMap(blockFaults),
  ...checksOfRows(schemes),
};

function schemeFaults({ at, value: { auth } }: Route): readonly Finding[] {
  if (typeof auth !== 'object') return [];
  return auth.any_of.flatMap((name, index, all): Finding[] =>
    all.indexOf(name) === index
      ? []
      : [{ pointer: [...at, 'auth', 'any_of', index], message: `\`${name}\` occurs twice` }],
  );
}

/** A scheme needs its block, and a block needs its scheme. */
function blockFaults({ at, value }: Route): readonly Finding[] {
  const taken = schemesOf(value.auth);
  return schemes.flatMap(({ name, example }): readonly Finding[] => {
    const isNamed = taken.includes(name);
    if (isNamed === (value[name] !== undefined)) return [];
    if (isNamed) {
      const message = `\`${name}\` needs a \`${name}:\` block in the route`;
      return [{ pointer: [...at, 'auth'], message, hint: `write \`${example}\`` }];
    }
    const hint = value.auth === undefined ? `write \`auth: ${name}\`` : `name \`${name}\` in \`auth\``;
    return [{ pointer: [...at, name], message: `the route does not accept \`${name}\``, hint, atKey: true }];
  });
}

/** Schemes that share a rule are checked together. */
function checksOfRows(rows: readonly SchemeRow[]): Checks<GatewaySubject> {
  const rules = new Set(rows.flatMap(({ checks }) => checks.map(({ rule }) => rule)));
  return Object.fromEntries([...rules].map((rule) => [rule, checkOf(rule, rows)]));
}

function checkOf(rule: string, rows: readonly SchemeRow[]): Check<GatewaySubject> {
  return (subject) => {
    const file = fileFacts(subject);
    return rows.flatMap((row) => {
      const own = row.checks.filter((check) => check.rule === rule);
      return own.flatMap((check) => check.findings(placedBlocks(row, subject), file));
    });
  };
}

function placedBlocks({ name }: SchemeRow, subject: GatewaySubject): readonly PlacedBlock<unknown>[] {
  return subject.routes.flatMap(({ at, value }) =>
    blocksOf(value)
      .filter((each) => each.name === name)
      .map(({ block }) => ({ at: [...at, name], value: block, route: routeFacts(value, subject) })),
  );
}

function routeFacts(route: RouteFile, { config: { upstreams, defaults } }: GatewaySubject): RouteFacts {
  const { timeout, upstream, limits, match, end_with } = route;
  return {
    idle: timeout?.idle ?? upstreams[upstream ?? defaults.upstream ?? '']?.timeout.idle ?? ANSWER_TIMES.idle,
    body: limits?.body,
    isForUpgrades: Object.keys(match.headers ?? {}).some((name) => name.toLowerCase() === 'upgrade'),
    endsWithToken: end_with === 'token',
  };
}

function fileFacts({ config, around }: GatewaySubject): FileFacts {
  return {
    around,
    host: config.listen.host,
    hasTls: config.listen.tls !== undefined,
    trustsProxies: trustedParts(config.trusted_proxies).from.length > 0,
    hasDecision: config.decision !== undefined,
    workers: config.workers,
    countersUrl: countersParts(config.counters).url,
    hasNonceKeys: config.nonce_keys !== undefined,
    scopes: config.scopes_supported,
  };
}
