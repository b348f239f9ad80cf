import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { UpstreamConfig } from '../../config/schema/upstream.ts';
import { withoutBrackets } from './address-of.ts';
import { chooser } from './balance.ts';
import { Breaker, type BreakerState } from './breaker.ts';
import type { ConnectionBudget } from './connection-budget.ts';
import { DigestSession } from './digest-session.ts';
import type { EngineOptions, UpstreamTrust } from './engine.ts';
import { carriedBy, carriedByOwn, type EngineChoice } from './engine-choice.ts';
import { EngineFallback } from './engine-fallback.ts';
import { HealthProbe } from './health-probe.ts';
import { openHttpProxy } from './http-proxy-engine.ts';
import { type Offer, Shares } from './shares.ts';
import { openUndici } from './undici-engine.ts';
import { describeUpstream, hostSent, type Upstream } from './upstream.ts';
import type { UpstreamUrl } from './upstream-url.ts';

/** One row for each engine. A feature that only one engine has belongs to its row alone. */
const engines = {
  undici: (options: EngineOptions) => carriedBy(openUndici(options)),
  own: carriedByOwn,
  'http-proxy': (options: EngineOptions) => carriedBy(openHttpProxy(options)),
} as const;

export interface UpstreamContext {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly trust: UpstreamTrust;
  readonly room: ConnectionBudget;
}

/** Everything that belongs to one URL and ends with the upstream. */
interface Opened {
  readonly origin: UpstreamUrl;
  readonly close: () => Promise<unknown>;
}

export function openUpstream(name: string, written: UpstreamConfig, around: UpstreamContext): Upstream {
  const config = withinRoom(written, around.room);
  if (config.max_connections < written.max_connections)
    around.log.warn(
      { upstream: name, max_connections: written.max_connections, opened: config.max_connections },
      'the limit of open files allows fewer connections than `max_connections` of an upstream',
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

/**
 * The connection limit, at most the open file limit. Requests above it wait for a connection. Over HTTP/2, requests
 * share one connection.
 */
function withinRoom(config: UpstreamConfig, { size }: ConnectionBudget): UpstreamConfig {
  return config.http2 ? config : { ...config, max_connections: Math.min(config.max_connections, size) };
}

/** A URL that is unhealthy, or whose breaker is open, gets no requests. So its connections do not count. */
function offerOf({ max_connections, max_pending }: UpstreamConfig, origins: readonly UpstreamUrl[]): Offer {
  const used = origins.filter(({ isHealthy, breaker }) => isHealthy && breaker?.state !== 'open').length;
  const connections = Math.max(1, used) * max_connections;
  return { connections, capacity: connections + max_pending };
}

function retryAfter({ health }: UpstreamConfig, origins: readonly UpstreamUrl[], now: number): number {
  const waits = origins.map(({ isHealthy, breaker }) =>
    Math.max(isHealthy ? 0 : (health?.interval ?? 0), (breaker?.until ?? 0) - now),
  );
  return Math.max(1, Math.ceil(Math.min(...waits) / 1000));
}

function openOrigin(
  name: string,
  url: URL,
  config: UpstreamConfig,
  around: UpstreamContext & { readonly changed: () => void },
): Opened {
  const fields = { upstream: name, url: url.host };
  const fallback = openFallback(around, fields);
  const open = (rest: Parameters<typeof openCarrier>[3]) =>
    openCarrier(url, config, { trust: around.trust, fallback }, rest);
  const carrier = open({ connections: config.max_connections, keepAlive: true, room: around.room });
  const counts = { retries: 0, unhealthy: 0, opened: 0 };
  const { credentials, circuit_breaker, health } = config;
  const onBreaker = (state: BreakerState) => {
    if (state === 'open') counts.opened++;
    breakerLines[state](around.log, fields);
    around.changed();
  };
  const isSecure = url.protocol === 'https:';
  const origin: UpstreamUrl = {
    carrier,
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
  if (health === undefined) return { origin, close: () => carrier.destroy() };
  // A check has its own connection. If all connections of requests are in use, that says nothing about the URL. A
  // connection that opens too late would delay the next checks.
  const connectTimeout = Math.min(config.timeout.connect, health.timeout);
  const asking = open({ connections: 1, keepAlive: false, connectTimeout });
  const probed = { carrier: asking, host: origin.host ?? url.host, servername: origin.serverName };
  const probe = new HealthProbe(health, probed, (isHealthy, detail) => {
    origin.isHealthy = isHealthy;
    if (!isHealthy) counts.unhealthy++;
    if (isHealthy) around.log.info(fields, 'an upstream URL is healthy again; back in rotation');
    else around.log.warn({ ...fields, detail }, 'an upstream URL is unhealthy; removed from rotation');
    around.changed();
  });
  const close = () => {
    probe.close();
    return Promise.all([carrier.destroy(), asking.destroy()]);
  };
  return { origin, close };
}

type Line = (log: UpstreamContext['log'], fields: object) => void;

const breakerLines: Readonly<Record<BreakerState, Line>> = {
  open: (log, fields) => log.warn(fields, 'an upstream URL does not answer; it gets no requests for a while'),
  half_open: (log, fields) => log.info(fields, 'an upstream URL gets one trial request'),
  closed: (log, fields) => log.info(fields, 'an upstream URL answers again'),
};

/** The name that the URL's certificate must contain. */
export function serverNameOf({ hostname }: URL, { tls }: UpstreamConfig): string {
  return tls?.server_name ?? withoutBrackets(hostname);
}

function openFallback({ clock, log }: UpstreamContext, fields: object): EngineFallback {
  return new EngineFallback(() => clock.monotonic(), {
    onBegin: (detail) =>
      log.warn(
        { ...fields, detail },
        'the gateway uses undici for an upstream URL for ten minutes, because `engine: own` does not understand the answers of this URL: set `engine: undici` for this upstream',
      ),
    onEnd: () => log.info(fields, 'the gateway uses `engine: own` for an upstream URL again'),
  });
}

function openCarrier(
  url: URL,
  config: UpstreamConfig,
  { trust, fallback }: { readonly trust: UpstreamTrust; readonly fallback: EngineFallback },
  rest: Pick<EngineOptions, 'connections' | 'keepAlive'> & Partial<Pick<EngineOptions, 'connectTimeout' | 'room'>>,
): EngineChoice {
  const serverName = serverNameOf(url, config);
  const open = engines[config.http2 ? 'http-proxy' : config.engine];
  return open({ url, serverName, trust, connectTimeout: config.timeout.connect, ...rest }, fallback);
}
