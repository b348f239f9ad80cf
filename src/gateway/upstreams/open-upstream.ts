import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { UpstreamConfig } from '../../config/schema/upstream.ts';
import { withoutBrackets } from './address-of.ts';
import { chooser } from './balance.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import { DigestSession } from './digest-session.ts';
import type { EngineOptions, ForwardEngine, UpstreamTrust } from './engine.ts';
import { HealthProbe } from './health-probe.ts';
import { openHttpProxy } from './http-proxy-engine.ts';
import type { Origin } from './origin.ts';
import { openOwn } from './own/own-engine.ts';
import type { Room } from './room.ts';
import { type Offer, Shares } from './shares.ts';
import { openUndici } from './undici-engine.ts';
import { describeUpstream, hostSent, type Upstream } from './upstream.ts';

/** A connection's own language is a row here. */
const engines = { undici: openUndici, own: openOwn, 'http-proxy': openHttpProxy } as const;

export interface Around {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly trust: UpstreamTrust;
  readonly room: Room;
}

/** Everything that one url has that ends with the upstream. */
interface Opened {
  readonly origin: Origin;
  readonly close: () => Promise<unknown>;
}

export function openUpstream(name: string, written: UpstreamConfig, around: Around): Upstream {
  const config = withinRoom(written, around.room);
  if (config.max_connections < written.max_connections)
    around.log.warn(
      { upstream: name, max_connections: written.max_connections, opened: config.max_connections },
      'the limit of open files leaves fewer connections to an upstream than its max_connections',
    );
  const now = () => around.clock.monotonic();
  const changed = () => {
    Object.assign(upstream, Object.assign(offer, offerOf(config, origins)));
  };
  const opened = config.urls.map((url) => openOrigin(name, new URL(url), config, { ...around, changed }));
  const origins = opened.map(({ origin }) => origin);
  const offer = offerOf(config, origins);
  const upstream: Upstream = {
    ...describeUpstream(name, config),
    origins,
    choose: chooser(origins, config.balance, now),
    inFlight: 0,
    ...offer,
    shares: new Shares(offer),
    retryAfter: () => retryAfter(config, origins, now()),
    close: () => Promise.all(opened.map(({ close }) => close())),
  };
  return upstream;
}

/** Whoever comes above what can be open waits for a connection, as above any other limit. Over HTTP/2 requests share one. */
function withinRoom(config: UpstreamConfig, { size }: Room): UpstreamConfig {
  return config.http2 ? config : { ...config, max_connections: Math.min(config.max_connections, size) };
}

/** A url that gets nothing has no connections to wait for. */
function offerOf({ max_connections, max_pending }: UpstreamConfig, origins: readonly Origin[]): Offer {
  const used = origins.filter(({ isHealthy, breaker }) => isHealthy && breaker?.state !== 'open').length;
  const connections = Math.max(1, used) * max_connections;
  return { connections, capacity: connections + max_pending };
}

function retryAfter({ health }: UpstreamConfig, origins: readonly Origin[], now: number): number {
  const waits = origins.map(({ isHealthy, breaker }) =>
    Math.max(isHealthy ? 0 : (health?.interval ?? 0), (breaker?.until ?? 0) - now),
  );
  return Math.max(1, Math.ceil(Math.min(...waits) / 1000));
}

function openOrigin(
  name: string,
  url: URL,
  config: UpstreamConfig,
  around: Around & { readonly changed: () => void },
): Opened {
  const engine = openEngine(url, config, around.trust, {
    connections: config.max_connections,
    keepAlive: true,
    room: around.room,
  });
  const counts = { retries: 0, unhealthy: 0, opened: 0 };
  const fields = { upstream: name, url: url.host };
  const { credentials, circuit_breaker, health } = config;
  const onBreaker = (state: BreakerState) => {
    if (state === 'open') counts.opened++;
    breakerLines[state](around.log, fields);
    around.changed();
  };
  const isSecure = url.protocol === 'https:';
  const origin: Origin = {
    engine,
    host: hostSent(config.host, url.host),
    authority: url.host,
    serverName: isSecure ? serverNameOf(url, config) : undefined,
    digest: credentials && 'digest' in credentials ? new DigestSession(credentials.digest) : undefined,
    breaker: circuit_breaker && new Breaker(circuit_breaker, onBreaker),
    isProbed: health !== undefined,
    isHealthy: true,
    inFlight: 0,
    counts,
  };
  if (health === undefined) return { origin, close: () => engine.destroy() };
  // Not over the connections of requests: where these are all in use, that says nothing of the url.
  // One that does not open in time would hold up the questions after it.
  const connectTimeout = Math.min(config.timeout.connect, health.timeout);
  const asking = openEngine(url, config, around.trust, { connections: 1, keepAlive: false, connectTimeout });
  const probed = { engine: asking, host: origin.host ?? url.host, servername: origin.serverName };
  const probe = new HealthProbe(health, probed, (isHealthy, detail) => {
    origin.isHealthy = isHealthy;
    if (!isHealthy) counts.unhealthy++;
    if (isHealthy) around.log.info(fields, 'a url of an upstream is well again');
    else around.log.warn({ ...fields, detail }, 'a url of an upstream is not well and gets no requests');
    around.changed();
  });
  const close = () => {
    probe.close();
    return Promise.all([engine.destroy(), asking.destroy()]);
  };
  return { origin, close };
}

type Line = (log: Around['log'], fields: object) => void;

const breakerLines: Readonly<Record<BreakerState, Line>> = {
  open: (log, fields) => log.warn(fields, 'a url of an upstream does not answer and gets no requests for a while'),
  half_open: (log, fields) => log.info(fields, 'a url of an upstream is tried with one request'),
  closed: (log, fields) => log.info(fields, 'a url of an upstream answers again'),
};

/** The name that its certificate must have. */
export function serverNameOf({ hostname }: URL, { tls }: UpstreamConfig): string {
  return tls?.server_name ?? withoutBrackets(hostname);
}

function openEngine(
  url: URL,
  config: UpstreamConfig,
  trust: UpstreamTrust,
  rest: Pick<EngineOptions, 'connections' | 'keepAlive'> & Partial<Pick<EngineOptions, 'connectTimeout' | 'room'>>,
): ForwardEngine {
  const serverName = serverNameOf(url, config);
  const open = engines[config.http2 ? 'http-proxy' : config.engine];
  return open({ url, serverName, trust, connectTimeout: config.timeout.connect, ...rest });
}
