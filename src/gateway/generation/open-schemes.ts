import { isByBasic, operatorsBlock } from '../../config/schema/admin.ts';
import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import { redisPlace } from '../../counters/open.ts';
import { buildLoginThrottle } from '../../counters/throttle.ts';
import type { Lease } from '../message/lease.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { LookedAt, SchemeScene } from '../schemes/scheme.ts';
import { schemesTaken, type TakenScheme } from '../schemes/schemes-of.ts';
import { schemes } from '../schemes/table.ts';

export type SchemeDependencies = Pick<
  SchemeScene,
  'clock' | 'log' | 'kept' | 'counters' | 'directory' | 'contents' | 'nonceStart'
>;

/** The credential schemes of the routes of one loaded file. */
export interface Schemes {
  /** In the order of their challenges. */
  of(route: RouteConfig): readonly HttpScheme[];
  /** Basic for operators, at the listener of the process that has one. */
  readonly operators: HttpScheme | undefined;
  /** Checks the stores of users. Settles when each has been checked once, and never rejects. */
  start(): Promise<void>;
  /** Every store has been checked. Without an authorization server, at least one must be reachable. */
  ready(): boolean;
  /** Each unreachable store, with the reason. */
  faults(): readonly string[];
}

export function openSchemes(config: GatewayConfig, dependencies: SchemeDependencies, lease: Lease): Schemes {
  const scene = sceneOf(config, dependencies, lease);
  const { stores } = scene;
  const isAlone = Object.keys(config.authorization_servers).length === 0;
  return {
    operators: dependencies.contents === undefined ? operatorsOf(config, scene) : undefined,
    of: (route) => schemesTaken(route).map((taken) => placed(taken, scene)),
    start: async () => void (await Promise.all([...stores].map((store) => store.start()))),
    ready: () => isReady([...stores], isAlone),
    faults: () =>
      [...stores].filter((store) => !store.usable()).map((store) => `users: ${store.fault() ?? 'no answer yet'}`),
  };
}

function operatorsOf({ admin }: GatewayConfig, scene: SchemeScene): HttpScheme | undefined {
  if (admin === undefined || !isByBasic(admin.access)) return undefined;
  return schemes.basic.open(operatorsBlock(admin.access), scene);
}

function placed({ row, block, places }: TakenScheme, scene: SchemeScene): HttpScheme {
  const scheme = row.open(block, scene);
  return places === undefined ? scheme : { ...scheme, places };
}

function sceneOf(config: GatewayConfig, dependencies: SchemeDependencies, lease: Lease): SchemeScene {
  const { counters } = dependencies;
  const { max_failures: maxFailures, window } = config.login;
  return {
    ...dependencies,
    config,
    lease,
    throttle: buildLoginThrottle({ counters, maxFailures, window }),
    counted: [config.counters, config.login],
    countedAt: redisPlace(config.counters.url),
    stores: new Set(),
  };
}

function isReady(stores: readonly LookedAt[], isAlone: boolean): boolean {
  if (!stores.every((store) => store.tried())) return false;
  return !isAlone || stores.length === 0 || stores.some((store) => store.usable());
}
