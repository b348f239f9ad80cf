import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { LocatedConfig } from '../explain/dry-engine.ts';
import type { SimulatedOutcome } from '../explain/simulate.ts';
import { changedSettings } from './changed-settings.ts';
import { MetRoutes } from './changed-treatment.ts';
import { changesAt, inSum, type PermissionChange } from './compare.ts';
import { type CompiledFile, compileFile } from './compiled-file.ts';
import { type ProbeRequest, probes } from './probes.ts';

/** New access that a file gives compared to the previous file, as far as `gatehouse diff` can judge. */
export interface Openings {
  /** In words: who may newly do what. */
  readonly opened: readonly string[];
  /** Changes that may give access and that no probe can test: another `when`, or settings about trusted peers. */
  readonly doubtful: readonly string[];
}

/** The number of requests tried while a gateway serves. A file with more has too many rules to judge meanwhile. */
const MOST_PROBES = 20_000;
/** Probes in one turn of the event loop. */
const AT_ONCE = 50;
/** Lines in an answer and in the log. */
const MOST_TOLD = 20;

export async function openings(old: LocatedConfig, now: LocatedConfig): Promise<Openings> {
  const settings = changedSettings(old.config, now.config).filter(affectsAccess);
  const { changes, treatment, isWhole } = await tried(old, now);
  const of = (kind: PermissionChange['change']) => inSum(changes.filter(({ change }) => change === kind)).map(inWords);
  const rest = isWhole
    ? []
    : [`more requests: the gateway tried only ${MOST_PROBES} kinds of requests; \`gatehouse diff\` tries all kinds`];
  const doubtful = [...new Set([...rest, ...settings, ...treatment, ...of('doubtful')])];
  return { opened: atMost(of('opened')), doubtful: atMost(doubtful) };
}

/** How the gateway reaches an upstream gives no access, but how it compares paths does. */
function affectsAccess(key: string): boolean {
  return !key.startsWith('upstreams.') || key.endsWith('.case_sensitive');
}

async function tried(old: LocatedConfig, now: LocatedConfig) {
  const changes: PermissionChange[] = [];
  if (isDeepStrictEqual(rulesOf(old.config), rulesOf(now.config))) return { changes, treatment: [], isWhole: true };
  const [before, after] = [compileFile(old), compileFile(now)];
  const same = sameRoutes(before, after);
  const met = new MetRoutes();
  let count = 0;
  for (const probe of probes([before, after])) {
    if (++count > MOST_PROBES) return { changes, treatment: met.changed(before, after), isWhole: false };
    if (count % AT_ONCE === 0) await turn();
    if (!(await isSame(probe, before, after, same))) changes.push(...(await changesAt(probe, before, after, met)));
  }
  return { changes, treatment: met.changed(before, after), isWhole: true };
}

/** The parts that affect access. The upstreams, and the way to forward to them, do not affect it. */
function rulesOf({ routes, upstreams, ...config }: GatewayConfig): unknown {
  const spellings = Object.entries(upstreams).map(([name, { case_sensitive }]) => [name, case_sensitive]);
  return { routes, spellings, ...surroundings(config) };
}

function surroundings({
  mode,
  defaults,
  authorization_servers,
  bearer_methods_supported,
  cors,
  limits: { body },
  resource,
  scopes,
}: Around) {
  return { mode, defaults, authorization_servers, bearer_methods_supported, cors, body, resource, scopes };
}

type Around = Omit<GatewayConfig, 'routes' | 'upstreams'>;
type Same = (one: SimulatedOutcome, other: SimulatedOutcome) => boolean;

/** If the files differ only in routes, an unchanged route passes the same callers, and so does a path without a route. */
function sameRoutes(old: CompiledFile, now: CompiledFile): Same {
  if (!isDeepStrictEqual(surroundings(old.config), surroundings(now.config))) return () => false;
  const text = (side: CompiledFile) =>
    new Map(side.routes.map((route) => [route.id, JSON.stringify({ ...side.written(route), id: '' })]));
  const [before, after] = [text(old), text(now)];
  return ({ route: one }, { route: other }) => {
    if (one === undefined || other === undefined) return one === other;
    return before.get(one.id) === after.get(other.id);
  };
}

async function isSame({ asked }: ProbeRequest, old: CompiledFile, now: CompiledFile, same: Same): Promise<boolean> {
  return same(await old.ask(asked), await now.ask(asked));
}

function inWords({ methods, path, hosts, callers, before, after }: PermissionChange): string {
  return `${methods.join(',')} ${path} at ${hosts.join(', ')}, ${callers.join('; ')}: was ${before}, now ${after}`;
}

function atMost(lines: readonly string[]): readonly string[] {
  const rest = lines.length - MOST_TOLD;
  return rest > 0 ? [...lines.slice(0, MOST_TOLD), `and ${rest} more`] : lines;
}
