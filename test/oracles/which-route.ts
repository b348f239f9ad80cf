import { normalizeHost } from '../../src/config/words/host.ts';
import { parseHostPattern } from '../../src/config/words/host-pattern.ts';
import { parsePathPattern } from '../../src/config/words/path-pattern.ts';
import { judgeTarget } from '../../src/gateway/message/target.ts';
import { matchConditions } from '../../src/gateway/routing/match-conditions.ts';
import { type RoutePattern, RouteTable } from '../../src/gateway/routing/routes.ts';
import { headOf } from '../gateway/head.ts';
import type { Ask } from './asker.ts';
import type { RuleFile } from './rule-files.ts';

interface Named extends RoutePattern {
  readonly name: string;
}

/** For reports: the route of a request as written. */
export function routeFinder({ routes, upstream }: RuleFile): (ask: Ask) => string {
  const { case_sensitive: caseSensitive = true } = (upstream ?? {}) as { case_sensitive?: boolean };
  const table = new RouteTable(routes.map((route) => named(route as Written, caseSensitive)));
  return ({ host, target, fields }) => {
    const judged = judgeTarget('GET', target);
    if (judged.kind === 'refused') return judged.code;
    const head = headOf(fields.flatMap(([name, value]) => [name, value.trim()]));
    const { key, query } = judged;
    const match = table.match({ host: normalizeHost(host) ?? '', key, method: 'GET', query, head });
    return match.kind === 'route' ? match.route.name : match.kind;
  };
}

interface Written {
  readonly match: { readonly path: string; readonly host?: string };
  readonly access?: string;
  readonly scope?: string;
}

function named({ match, access, scope }: Written, caseSensitive: boolean): Named {
  const pattern = parsePathPattern(match.path);
  if (pattern.kind === 'fault') throw new Error(pattern.message);
  const { path, ...rest } = match;
  const conditions = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  return {
    name: `${path}${conditions} (${scope ?? access})`,
    host: match.host === undefined ? undefined : parseHostPattern(match.host),
    segments: pattern.segments,
    methods: undefined,
    conditions: matchConditions(match),
    caseSensitive,
    access: access ?? 'scope',
  };
}
