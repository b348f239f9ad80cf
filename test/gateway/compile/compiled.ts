import { keysOfFiles } from '../../../src/commands/compile/key-files.ts';
import { type Loaded, loadGatewayText } from '../../../src/config/load/load.ts';
import type { GatewayConfig } from '../../../src/config/schema/gateway.ts';
import { envoyBootstrap } from '../../../src/gateway/compile/envoy/render.ts';
import { makePlan, type PlanOptions, type UnsupportedMode } from '../../../src/gateway/compile/make-plan.ts';
import type { CompilePlan } from '../../../src/gateway/compile/plan.ts';

export type LoadedGateway = Extract<Loaded<GatewayConfig>, { ok: true }>;

export interface CompiledText {
  readonly loaded: LoadedGateway;
  readonly plan: CompilePlan;
}

interface PlanChoices extends PlanOptions {
  readonly mode?: UnsupportedMode;
  readonly file?: string;
  /** Changes the loaded file, for a state that no file can have. */
  readonly change?: (config: GatewayConfig) => GatewayConfig;
}

export interface CompileOptions extends PlanChoices {
  readonly env?: Readonly<Record<string, string>>;
}

/** The text of a gateway file, compiled for Envoy by default. Undefined: the file is not valid. */
export async function compileText(text: string, options: CompileOptions = {}): Promise<CompiledText | undefined> {
  const { file = 'gateway.yaml', env = {}, ...choices } = options;
  const loaded = loadGatewayText(text, { file, env });
  return loaded.ok ? { loaded, plan: await planOf(loaded, { file, ...choices }) } : undefined;
}

export async function planOf(loaded: LoadedGateway, choices: PlanChoices): Promise<CompilePlan> {
  const { mode = 'error', file = 'gateway.yaml', change = (config) => config, ...limits } = choices;
  const keys = await keysOfFiles(loaded.config, loaded.directory);
  const config = change(loaded.config);
  return makePlan({ ...loaded, config, source: { file, hash: 'hash' }, keys }, mode, limits);
}

/** A configuration of Envoy, which has no types here. */
// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program
export type EnvoyFile = any;

export function managerOf(plan: CompilePlan): EnvoyFile {
  const bootstrap: EnvoyFile = envoyBootstrap(plan).bootstrap;
  return bootstrap.static_resources.listeners[0].filter_chains[0].filters[0].typed_config;
}

export interface RequestOfTable {
  readonly method: string;
  readonly host: string;
  readonly target: string;
}

/** Which entry of the table gets a request, as Envoy chooses it. Undefined: the guard refuses the request. */
export function entryFor(manager: EnvoyFile, request: RequestOfTable): EnvoyFile {
  const policies: EnvoyFile[] = Object.values(filterOf(manager, 'gatehouse.guard').rules.policies);
  if (policies.some(({ permissions }) => permissions.some((rule: EnvoyFile) => holds(rule, request)))) return undefined;
  const path = request.target.split('?', 1)[0] ?? '';
  const { routes } = manager.route_config.virtual_hosts[0];
  return routes.find(({ match }: EnvoyFile) => matchesPath(match, path) && matchesHeaders(match, request));
}

export function filterOf(manager: EnvoyFile, name: string): EnvoyFile {
  return manager.http_filters.find((filter: EnvoyFile) => filter.name === name).typed_config;
}

function matchesPath(match: EnvoyFile, path: string): boolean {
  if (match.prefix !== undefined) return path.startsWith(match.prefix);
  return match.path === undefined ? whole(match.safe_regex.regex).test(path) : match.path === path;
}

function matchesHeaders({ headers = [] }: EnvoyFile, request: RequestOfTable): boolean {
  return headers.every((header: EnvoyFile) => holds({ header }, request));
}

function holds(rule: EnvoyFile, request: RequestOfTable): boolean {
  if (rule.not_rule !== undefined) return !holds(rule.not_rule, request);
  const { name, string_match, present_match } = rule.header;
  const value = fieldOf(name, request);
  if (present_match !== undefined) return (value !== undefined) === present_match;
  if (value === undefined) return false;
  return string_match.exact === undefined
    ? whole(string_match.safe_regex.regex).test(value)
    : string_match.exact === value;
}

function fieldOf(name: string, { method, host, target }: RequestOfTable): string | undefined {
  return { ':method': method, ':authority': host, ':path': target }[name as ':method' | ':authority' | ':path'];
}

const patterns = new Map<string, RegExp>();

/** Envoy's patterns match the whole text. */
function whole(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(`^(?:${pattern})$`, 's');
  patterns.set(pattern, known);
  return known;
}
