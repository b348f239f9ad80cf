import { digestHeaders } from '../digest-headers.ts';
import { portOf } from './go-gateways.ts';
import {
  type Bar,
  BY_DEFAULT,
  cpuRatio,
  type Engine,
  engines,
  loadColumns,
  type Part,
  type PartBench,
} from './part.ts';
import type { GatewayWish, Place } from './place.ts';
import type { Program } from './program.ts';
import { type ProgramName, programs } from './programs.ts';
import { once, same, type Target } from './requests.ts';
import { onStage, type Stage } from './stage.ts';
import { type Algorithm, opaqueToken } from './tokens.ts';
import { type Contestant, runTurns } from './turns.ts';

/** Requests to another program than our gateway. */
interface Other {
  readonly name: string;
  readonly program: ProgramName;
  readonly port: (place: Place) => number;
  readonly token: Algorithm;
}

const FLOOR = 'floor';
const NGINX = 'nginx proxy_pass';
const AUTH_REQUEST = 'nginx auth_request, cached';
const HTTP_PROXY = '@fastify/http-proxy';
const APACHE = 'Apache mod_auth_openidc';
const HAPROXY = 'HAProxy, RS256 verified each time';
const ENVOY = 'Envoy, its JWT cache';
const OAUTH2_PROXY = 'oauth2-proxy';
const OATHKEEPER = 'Oathkeeper';

const others: readonly Other[] = [
  { name: FLOOR, program: 'floor', port: () => 9103, token: 'HS256' },
  { name: NGINX, program: 'nginx', port: () => 9001, token: 'HS256' },
  { name: AUTH_REQUEST, program: 'nginx', port: () => 9002, token: 'HS256' },
  { name: HTTP_PROXY, program: 'http-proxy', port: () => 9101, token: 'HS256' },
  { name: APACHE, program: 'apache', port: () => 9201, token: 'HS256' },
  { name: HAPROXY, program: 'haproxy', port: () => 9106, token: 'RS256' },
  { name: ENVOY, program: 'envoy', port: () => 9107, token: 'ES256' },
  { name: OAUTH2_PROXY, program: 'oauth2-proxy', port: (place) => portOf('oauth2-proxy', place), token: 'ES256' },
  { name: OATHKEEPER, program: 'oathkeeper', port: (place) => portOf('oathkeeper', place), token: 'ES256' },
];

/** A kind of credential for our gateway, whose facts are cached. */
interface Way {
  readonly name: string;
  readonly path: string;
  readonly prepare: (target: Target, place: Place) => Contestant['prepare'];
}

const OPEN = 'open route';
const JWT = 'JWT ES256 cached';
const FORM = 'form body, JWT cached';
const BY_DIGEST = 'Digest SHA-256';
/** For the tokens of this part. */
const NUMBER = 1;
/** More Digest requests a second than any program answers. */
const DIGEST = 40_000;

const ways: readonly Way[] = [
  { name: OPEN, path: '/open/1', prepare: (target) => same(target, {}) },
  {
    name: 'JWT HS256 cached',
    path: '/hs/1',
    prepare: (target, { mint }) => same(target, { token: mint.HS256(NUMBER) }),
  },
  { name: JWT, path: '/es/1', prepare: (target, { mint }) => same(target, { token: mint.ES256(NUMBER) }) },
  { name: 'opaque cached', path: '/opaque/1', prepare: (target) => same(target, { token: opaqueToken(NUMBER) }) },
  {
    name: FORM,
    path: '/form/1',
    prepare: (target, { mint }) =>
      same(target, {
        method: 'POST',
        type: 'application/x-www-form-urlencoded',
        body: `"access_token=${mint.ES256(NUMBER)}&name=value"`,
      }),
  },
  {
    name: BY_DIGEST,
    path: '/digest/1',
    prepare: (target) =>
      once(target, DIGEST, (count) =>
        digestHeaders({ origin: new URL(target.url).origin, uri: '/digest/1', algorithm: 'SHA-256', count }),
      ),
  },
];

export const enforcement: Part = {
  name: 'enforcement',
  about: 'Each contender forwards a small GET. Our gateway does so with each kind of credential.',
  columns: loadColumns,
  beside: [
    { title: '÷ floor', to: () => FLOOR },
    { title: '÷ nginx', to: () => NGINX },
    { title: '÷ own open route', to: openRouteOf },
  ],
  bars,
  measure: (bench) =>
    onStage(async (stage) =>
      runTurns([...(await startOthers(stage, bench)), ...(await startOurs(stage, bench))], bench),
    ),
};

function ours(engine: Engine, way: string): string {
  return `Gatehouse ${engine}, ${way}`;
}

function oursByDefault(way: string): string {
  return `${BY_DEFAULT}, ${way}`;
}

function openRouteOf(name: string): string | undefined {
  if (name.startsWith(oursByDefault(''))) return oursByDefault(OPEN);
  const engine = engines.find((each) => name.startsWith(ours(each, '')));
  return engine && ours(engine, OPEN);
}

function bars({ engine }: PartBench): readonly Bar[] {
  const judged = (way: string) => (engine === 'own' ? oursByDefault(way) : ours(engine, way));
  const beside = (way: string, title: string, to: string, bar: number, goal: number): Bar => ({
    title: `${way} ÷ ${title}`,
    value: cpuRatio(judged(way), to),
    bar,
    goal,
  });
  const open = judged(OPEN);
  return [
    beside(JWT, 'own open route', open, 1.06, 1.02),
    beside(FORM, 'own open route', open, 1.4, 1.2),
    beside(BY_DIGEST, 'own open route', open, 1.5, 1.25),
    beside(JWT, 'floor.mjs', FLOOR, 0.6, 0.45),
    beside(JWT, 'nginx auth_request with a cached answer', AUTH_REQUEST, 1.1, 0.9),
    beside(JWT, 'bare @fastify/http-proxy', HTTP_PROXY, 0.5, 0.38),
    beside(JWT, HAPROXY, HAPROXY, 0.7, 0.5),
    beside(JWT, ENVOY, ENVOY, 0.35, 0.25),
    beside(JWT, APACHE, APACHE, 0.45, 0.3),
    beside(JWT, OAUTH2_PROXY, OAUTH2_PROXY, 0.45, 0.3),
    beside(JWT, OATHKEEPER, OATHKEEPER, 0.45, 0.3),
  ];
}

async function startOthers({ place, start }: Stage, { connections, say }: PartBench): Promise<Contestant[]> {
  const pids = new Map<ProgramName, number | undefined>();
  const contestants: Contestant[] = [];
  for (const { name, program, port, token } of others) {
    if (!pids.has(program)) pids.set(program, await startIfInstalled(program));
    const pid = pids.get(program);
    const target = { url: `http://127.0.0.1:${port(place)}/open/1`, connections, folder: place.folder };
    if (pid !== undefined) contestants.push({ name, pid, prepare: same(target, { token: place.mint[token](NUMBER) }) });
  }
  return contestants;

  async function startIfInstalled(name: ProgramName): Promise<number | undefined> {
    const { command, install }: Program = programs[name];
    const found = command(place);
    if (found !== undefined) return start(found);
    say(`${name} is not installed and is left out: ${install}`);
    return undefined;
  }
}

/** Our gateway, as a configuration file sets it up. */
interface Variant {
  readonly engine: Engine;
  readonly wish: GatewayWish;
  readonly named: (way: string) => string;
  readonly port: (place: Place) => number;
}

const variants: readonly Variant[] = [
  ...engines.map((engine) => ({
    engine,
    wish: { listener: 'node' } as const,
    named: (way: string) => ours(engine, way),
    port: ({ ports }: Place) => ports[engine],
  })),
  {
    engine: 'own',
    wish: { isDefault: true },
    named: oursByDefault,
    port: ({ autoPort }) => autoPort,
  },
];

async function startOurs({ place, start }: Stage, { connections }: PartBench): Promise<Contestant[]> {
  const contestants: Contestant[] = [];
  for (const { engine, wish, named, port } of variants) {
    const pid = await start(place.gateway(engine, { port: port(place), ...wish }));
    for (const { name, path, prepare } of ways) {
      const target = { url: `http://127.0.0.1:${port(place)}${path}`, connections, folder: place.folder };
      contestants.push({ name: named(name), pid, prepare: prepare(target, place) });
    }
  }
  return contestants;
}
