import type { Command } from 'commander';
import { printableJson } from '../base/printable.ts';
import { formatProblems } from '../config/load/load.ts';
import { type AuthScheme, schemesOf } from '../config/schema/gateway.ts';
import type { Route } from '../gateway/decide/route.ts';
import { assumedVerifier } from '../gateway/explain/assumed.ts';
import { buildDryEngine } from '../gateway/explain/dry-engine.ts';
import { alternativeTexts } from '../gateway/message/scope-requirement.ts';
import { compareSpecificity, hostText, pathText } from '../gateway/routing/specificity.ts';
import { gatewayOption, noSecretsOption } from './common/config-option.ts';
import { loadGateway, type SecretsOption } from './common/no-secrets.ts';
import { table } from './common/table.ts';

/** `gatehouse routes --config FILE`: the routes in the order in which the gateway tries them. */
export function register(program: Command): void {
  program
    .command('routes')
    .description('list the compiled routes, most specific first')
    .addOption(gatewayOption())
    .addOption(noSecretsOption())
    .option('--json', 'print JSON')
    .action(run);
}

interface Options extends SecretsOption {
  readonly config: string;
  readonly json?: true;
}

function run({ config: file, json, secrets }: Options): void {
  const loaded = loadGateway(file, { secrets });
  if (!loaded.ok) {
    process.stderr.write(formatProblems(loaded.problems));
    process.exitCode = 1;
    return;
  }
  const { routes } = buildDryEngine(loaded, assumedVerifier(loaded.config, new Map()));
  const schemes = new Map(loaded.config.routes.map(({ id, auth }) => [id, schemesOf(auth)]));
  const rows = routes.toSorted(compareSpecificity).map((route) => describe(route, schemes.get(route.id) ?? []));
  process.stdout.write(json ? printableJson(rows) : table(rows.map(cells)));
}

interface Row {
  readonly id: string;
  readonly host: string | undefined;
  readonly path: string;
  readonly methods: readonly string[] | undefined;
  readonly conditions: readonly string[];
  readonly access: Route['access'];
  /** The schemes of credentials that the route accepts. */
  readonly auth: readonly AuthScheme[];
  readonly scope: readonly string[] | undefined;
  /** A required scope → the other scopes that imply it. */
  readonly scope_implied_by: Readonly<Record<string, readonly string[]>> | undefined;
  /** The pages that may call. Undefined: all. */
  readonly origins: readonly string[] | undefined;
  readonly shadow: boolean;
  readonly upstream: string;
  readonly at: string | undefined;
}

function describe(route: Route, schemes: readonly AuthScheme[]): Row {
  const { id, host, methods, conditions, access, requirements, origins, shadow, upstream, at } = route;
  return {
    id,
    host: host && hostText(host),
    path: pathText(route),
    methods: methods && [...methods],
    conditions: conditions.map(({ text }) => text),
    access,
    auth: access === 'public' ? [] : schemes,
    scope: requirements.scope && alternativeTexts(requirements.scope),
    scope_implied_by: requirements.scope?.impliers && Object.fromEntries(requirements.scope.impliers),
    origins: origins && [...origins],
    shadow,
    upstream: upstream.name,
    at,
  };
}

function cells(row: Row): readonly string[] {
  const { host, path, methods, conditions, shadow, upstream, at } = row;
  const asked = `${askedInWords(row)}${schemesInWords(row)}`;
  return [
    methods?.join(',') ?? '*',
    `${host ?? ''}${path}${conditions.map((text) => ` [${text}]`).join('')}`,
    shadow ? `${asked} (shadow)` : asked,
    upstream,
    at ?? '',
  ];
}

/** Most routes accept only Bearer tokens. */
function schemesInWords({ auth }: Row): string {
  return auth.every((scheme) => scheme === 'bearer') ? '' : ` by ${auth.join(' or ')}`;
}

function askedInWords({ access, scope, scope_implied_by = {} }: Row): string {
  if (scope === undefined) return access;
  const implied = Object.entries(scope_implied_by).map(
    ([word, others]) => `; ${others.join(', ')} ${others.length > 1 ? 'imply' : 'implies'} ${word}`,
  );
  return `scope ${scope.join(' | ')}${implied.join('')}`;
}
