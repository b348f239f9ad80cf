import type { Server as HttpsServer } from 'node:https';
import type { Server, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { plainAddress } from '../../base/client-address.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { NotReady } from '../../base/health.ts';
import { shownCause } from '../../base/health-cause.ts';
import { buildLog } from '../../base/log.ts';
import { RefusedConnections } from '../../base/refused-connections.ts';
import { keepObjectsYoung } from '../../base/young-objects.ts';
import type { Pointer, Position } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { COUNTED_ALONE } from '../../counters/counters.ts';
import type { ClientConnection } from '../client/client-message.ts';
import { ClientReader } from '../client/client-reader.ts';
import { Deadlines } from '../client/deadlines.ts';
import { Stalls } from '../client/stalls.ts';
import {
  buildGeneration,
  type Generation,
  type GenerationDependencies,
  type Replaced,
} from '../generation/generation.ts';
import { emptyReloadPool } from '../generation/reload-pool.ts';
import type { WorkerContext } from '../generation/worker-context.ts';
import { buildDecisionEndpoint } from '../listener/decision/endpoint.ts';
import { callMemory } from '../listener/grpc/call-memory.ts';
import { buildCheck } from '../listener/grpc/check.ts';
import { type GrpcListener, openGrpcListener } from '../listener/grpc/grpc-listener.ts';
import { HandshakeTracker } from '../listener/handshake-tracker.ts';
import { buildProxy } from '../listener/proxy.ts';
import { buildServer, limitInWords, type ServerOptions } from '../listener/server.ts';
import { tlsOptions, tlsRenewal } from '../listener/tls.ts';
import { UnreadConnection, type WatchUnread } from '../listener/unread-connection.ts';
import { openEventLog } from '../receiver/open-log.ts';
import { type AccessLog, buildAccessLog } from '../telemetry/access-log.ts';
import { Decisions } from '../telemetry/decisions.ts';
import { FullShares } from '../telemetry/full-shares.ts';
import type { Reader } from './reader-metric.ts';

export interface CoreOptions {
  readonly config: GatewayConfig;
  /** Where relative filenames of the configuration start. */
  readonly directory: string;
  /** The position of a value in the file, so that a refusal can name the line of its route. */
  readonly locate?: ((pointer: Pointer) => Position) | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Logger | undefined;
  /** Present in a worker. */
  readonly outside?: WorkerContext | undefined;
}

/** The parts that all generations of this gateway share, and the first generation. */
export type Core = GenerationDependencies & {
  readonly live: { current: Generation; replaced?: Replaced | undefined };
  /** Undefined: the file configures no access log. */
  readonly access: AccessLog | undefined;
  readonly refused: RefusedConnections;
  /** Reads files of other listeners again, at each reload. */
  readonly renewals: Set<() => void>;
};

export function openCore({ config, directory, locate, outside, clock = systemClock, ...options }: CoreOptions): Core {
  keepObjectsYoung();
  const log = options.log ?? buildLog(config.log);
  const access = buildAccessLog(config.access_log, { directory, clock, log });
  const decisions = new Decisions(log, clock, access);
  const listener = {
    draining: false,
    tunnels: new Set<Socket>(),
    listening: new Set<() => void>(),
    sessions: new Set<{ close(): void }>(),
    doomed: new WeakSet<ClientConnection>(),
    leaving: new WeakSet<ClientConnection>(),
    proved: new Set<Socket>(),
    shaking: new HandshakeTracker(),
  };
  const fullShares = new FullShares(clock, log);
  const core = {
    clock,
    log,
    access,
    refused: new RefusedConnections(log),
    decisions,
    stalls: new Stalls(clock),
    deadlines: new Deadlines(),
    fullShares,
    kept: emptyReloadPool(),
    received: outside === undefined ? openEventLog(config, { clock, log, directory }) : undefined,
    listener,
    directory,
    renewals: new Set<() => void>(),
  };
  return { ...core, live: { current: buildGeneration(config, { ...core, locate, outside }) } };
}

export function openProxy(core: Core, { limits, listen: address }: GatewayConfig, reader: Reader): FastifyInstance {
  const { live, directory, clock, stalls, listener } = core;
  const { tls, http2 } = address;
  const app = buildServer({
    limits,
    http2: http2 === true ? { limits: () => live.current.shared.limits, clock, stalls, listener } : undefined,
    http1: reader === 'node' ? undefined : { reads: reader, clock, stalls },
    tls: tls && { config: tls, options: tlsOptions({ ...address, tls }, directory) },
    connected: tls === undefined || tls.client_auth === 'none' ? watchReader(core) : watchProved(core),
    watchUnread: watchUnread(core),
    handle: buildProxy(live),
    malformed: countMalformed(core),
  });
  if (tls !== undefined) listener.shaking.watch(app.server as unknown as HttpsServer);
  watchRefused(core, app.server, 'listen');
  return app;
}

/** The listener where proxies ask. It is separate, so only proxies need to reach it. */
export function openDecisionEndpoint(core: Core, { limits }: GatewayConfig): FastifyInstance {
  const app = buildServer({
    limits,
    connected: watchReader(core),
    watchUnread: watchUnread(core),
    handle: buildDecisionEndpoint(core.live),
    malformed: countMalformed(core),
  });
  watchRefused(core, app.server, 'decision');
  return app;
}

/** Reports the connections beyond the limit. In a worker there are none, because the primary process refuses them. */
function watchRefused({ refused, live }: Core, server: Server, listener: string): void {
  refused.watch(server, listener, () => limitInWords(live.current.config.limits));
}

/** The listener where Envoy asks by gRPC. Undefined: the file has none. */
export function openGrpc(core: Core, { decision_grpc }: GatewayConfig): GrpcListener | undefined {
  if (decision_grpc === undefined) return undefined;
  const { live, directory, log, clock, stalls, listener } = core;
  const isTrusted = (address: string) => isProxy(live.current, address);
  const opened = openGrpcListener({
    check: buildCheck(live),
    notReady: () => notReady(core),
    callers: {
      limits: () => live.current.shared.limits,
      ...{ clock, stalls, listener, isTrusted, memory: callMemory(isTrusted) },
    },
    ...{ address: decision_grpc, directory, log },
  });
  core.renewals.add(opened.renew);
  watchRefused(core, opened.server, 'decision.grpc');
  return opened;
}

function isProxy({ shared }: Generation, address: string): boolean {
  const requestIdHeader = shared.requestIdHeaderLower;
  return shared.originOf({ address, secure: false, rawHeaders: [], requestIdHeader }).isProxied;
}

function watchReader({ live, stalls, listener }: Core): (socket: Socket) => void {
  const idle = () => live.current.shared.limits.idle;
  const isTunnel = (socket: Socket) => listener.tunnels.has(socket);
  return (socket) => ClientReader.watch(socket, stalls, { idle, isTunnel });
}

function watchUnread({ live, stalls }: Core): WatchUnread {
  return (socket) => UnreadConnection.watch(socket, stalls, () => live.current.shared.limits.idle);
}

/** Watches connections whose clients may have shown a certificate. */
function watchProved(core: Core): (socket: Socket) => void {
  const watch = watchReader(core);
  const { proved } = core.listener;
  return (socket) => {
    proved.add(socket);
    socket.once('close', () => proved.delete(socket));
    watch(socket);
  };
}

function countMalformed({
  decisions,
  live,
  log,
}: Pick<Core, 'decisions' | 'live' | 'log'>): ServerOptions['malformed'] {
  return (code, { address, ...answer } = {}) => {
    decisions.countMalformed(code, answer);
    log.info({ code, method: answer.method, address: plainAddress(address) }, code);
    return live.current.shared.tickets.sealMalformed(code);
  };
}

/**
 * From now on, every answer is the last one of its connection. A tunnel has no end of its own, so its client must
 * connect again.
 */
export function beginDraining({ listener }: Pick<Core, 'listener'>): void {
  listener.draining = true;
  for (const tunnel of listener.tunnels) tunnel.destroySoon();
  for (const end of listener.listening) end();
  for (const session of listener.sessions) session.close();
}

/** Reloads files that other programs replace: the listener's certificates, and a renamed access log. */
export function renewal(core: Core, app: FastifyInstance, config: GatewayConfig): () => void {
  const renewCertificates = certificateRenewal(core, app, config);
  return () => {
    core.access?.reopen();
    renewCertificates();
    for (const renew of core.renewals) renew();
  };
}

/** Does nothing without TLS. */
function certificateRenewal(core: Core, app: FastifyInstance, { listen: { tls } }: GatewayConfig): () => void {
  if (tls === undefined) return () => undefined;
  // With TLS, the server is an HTTPS server.
  const server = app.server as unknown as HttpsServer;
  const { directory, log } = core;
  return tlsRenewal(server, { tls, directory, log, authorityGone: () => endProved(core, server) });
}

/**
 * Ends connections after a client authority was removed. Requests in flight may finish, then each client must prove
 * itself again.
 */
function endProved({ listener }: Pick<Core, 'listener'>, server: HttpsServer): void {
  listener.shaking.end();
  for (const socket of listener.proved) listener.leaving.add(socket);
  for (const tunnel of listener.tunnels) tunnel.destroySoon();
  for (const session of listener.sessions) session.close();
  setImmediate(() => server.closeIdleConnections());
}

export function notReady({ listener, live }: Core): NotReady | undefined {
  if (listener.draining) return { reason: 'draining' };
  const { verifiers, schemes } = live.current;
  if (verifiers.ready() && schemes.ready()) return undefined;
  return { reason: 'no usable keys or store yet', cause: causeNotReady(live.current) };
}

/** The number of reported faults. */
const MOST = 4;

/** The last faults of what the gateway waits for, as in the log. */
function causeNotReady({ verifiers, schemes }: Generation): string | undefined {
  const faults = [...verifiers.faults(), ...schemes.faults()].slice(0, MOST);
  const shown = faults.map(shownCause);
  return shown.length === 0 ? undefined : shown.join('; ');
}

export function remark({ live }: Core): string | undefined {
  return live.current.counters.reachable() ? undefined : COUNTED_ALONE;
}

/** Checks everything that a generation depends on, once. Settles when each was tried, and never rejects. */
export async function warm({ verifiers, schemes, counters }: Generation): Promise<void> {
  await Promise.all([verifiers.start(), schemes.start(), counters.start()]);
}

/** The framework does not know whether its server uses TLS. */
export function withScheme(url: string, { listen: { tls } }: GatewayConfig): string {
  return tls === undefined ? url : url.replace(/^http:/, 'https:');
}
