import type { Server } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Clock, systemClock } from '../base/clock.ts';
import { lastRequests } from '../base/last-requests.ts';
import { trackSilent } from '../base/silent-connections.ts';
import type { Pointer, Position } from '../config/load/load.ts';
import { type Audience, Sampler } from '../gateway/console/live/sampler.ts';
import { buildGeneration, type Generation } from '../gateway/generation/generation.ts';
import type { WorkerContext } from '../gateway/generation/worker-context.ts';
import { chooseReader } from '../gateway/lifecycle/chosen-reader.ts';
import {
  beginDraining,
  type Core,
  notReady,
  openCore,
  openDecisionEndpoint,
  openGrpc,
  openProxy,
  remark,
  renewal,
  warm,
} from '../gateway/lifecycle/core.ts';
import { requireKeptNonces } from '../gateway/lifecycle/kept-nonces.ts';
import { buildMetrics } from '../gateway/lifecycle/metrics.ts';
import type { GrpcListener } from '../gateway/listener/grpc/grpc-listener.ts';
import { applyLimits } from '../gateway/listener/server.ts';
import { flushSpans } from '../gateway/telemetry/flush-spans.ts';
import type { Entrance, IpcChannel } from './ipc-channel.ts';
import type { MetricSnapshot, PrimaryNews, PrimaryVerbs, SentGeneration, WorkerReadiness } from './messages.ts';
import { snapshotOf } from './metrics.ts';
import { remoteCounters } from './remote-counters.ts';
import type { RemoteServers } from './remote-servers.ts';

/** The parts of one worker. */
export interface WorkerRuntime {
  take(socket: Socket, entrance: Entrance): void;
  prepare(sent: SentGeneration): Promise<void>;
  commit(version: number): void;
  discard(version: number): void;
  renew(): void;
  metrics(): Promise<MetricSnapshot>;
  ready(): WorkerReadiness;
  watch(on: boolean): void;
  sample(audiences: readonly Audience[]): void;
  /**
   * Resolves when all requests in flight have ended.
   * @param lastRequests milliseconds for which kept connections may bring another request
   */
  drain(lastRequests: number): Promise<void>;
}

export interface WorkerRuntimeOptions {
  readonly sent: SentGeneration;
  readonly line: IpcChannel<PrimaryVerbs, PrimaryNews>;
  readonly remote: RemoteServers;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Milliseconds. A worker waits this long for keys and feeds, and then serves without them. */
const PATIENCE = 3_000;

type OfGroup = Pick<WorkerContext, 'counters' | 'nonceStart'>;

function contextOf(sent: SentGeneration, group: OfGroup, remote: RemoteServers): WorkerContext {
  return {
    ...group,
    contents: sent.contents,
    server(name) {
      const [broker, block] = [sent.desks[name], sent.config.authorization_servers[name]];
      return broker === undefined || block === undefined ? undefined : remote.at(broker, everyOf(block));
    },
  };
}

/** Undefined: the primary does not answer, so this worker has its own start. */
async function nonceStartOf(line: WorkerRuntimeOptions['line'], clock: Clock): Promise<number | undefined> {
  const told = await line.ask('nonceTime', true, PATIENCE);
  return told === undefined ? undefined : told - clock.monotonic();
}

export async function openWorkerRuntime({
  sent,
  line,
  remote,
  log,
  clock = systemClock,
}: WorkerRuntimeOptions): Promise<WorkerRuntime> {
  const group = { counters: remoteCounters(line, clock), nonceStart: await nonceStartOf(line, clock) };
  const outside = (of: SentGeneration) => contextOf(of, group, remote);
  const { config, directory } = sent;
  const core = openCore({ config, directory, locate: locator(sent), clock, log, outside: outside(sent) });
  await Promise.race([warm(core.live.current), pause(PATIENCE, undefined, { ref: false })]);
  await requireKeptNonces(core.live.current);
  const reader = await chooseReader(config, log);
  const [app, asked] = [openProxy(core, config, reader), config.decision && openDecisionEndpoint(core, config)];
  const grpc = openGrpc(core, config);
  const apps = asked === undefined ? [app] : [app, asked];
  await Promise.all(apps.map((one) => one.ready()));
  const servers: Servers = { listen: app.server, decision: asked?.server, grpc: grpc?.server };
  // These servers never listen, so without this event they would never check for slow heads.
  for (const { server } of apps) server.emit('listening');
  const registry = buildMetrics(core, undefined, reader);
  const sampler = new Sampler(core.decisions, clock, (batch) => line.tell('sampled', batch));
  const prepared = new Map<number, Generation>();
  const connections = takeConnections(servers, line);
  return {
    take: connections.take,
    async prepare(next) {
      const { config, version } = next;
      const generation = buildGeneration(config, { ...core, locate: locator(next), outside: outside(next) });
      prepared.set(version, generation);
      await warm(generation);
      await requireKeptNonces(generation);
    },
    commit(version) {
      takeOver(core, servers, prepared, version);
      grpc?.applyLimits(core.live.current.config.limits);
    },
    discard(version) {
      prepared.get(version)?.lease.release();
      prepared.delete(version);
    },
    renew: renewal(core, app, config),
    metrics: () => snapshotOf(registry),
    ready() {
      const fault = notReady(core);
      return { notReady: fault?.reason ?? null, cause: fault?.cause ?? null, remark: remark(core) ?? null };
    },
    watch: watcher(core, line),
    sample: (audiences) => sampler.watch(audiences),
    drain: (milliseconds) => drain(core, { apps, grpc, connections }, milliseconds),
  };
}

interface Draining {
  readonly apps: readonly FastifyInstance[];
  readonly grpc: GrpcListener | undefined;
  readonly connections: ReturnType<typeof takeConnections>;
}

async function drain(core: Core, { apps, grpc, connections }: Draining, milliseconds: number): Promise<void> {
  beginDraining(core);
  await lastRequests(connections.areOpen, milliseconds);
  connections.endSilent();
  await Promise.all([grpc?.close(), connections.over()]);
  await Promise.all(apps.map((one) => one.close()));
  core.stalls.close();
  await core.kept.close();
  await core.access?.close();
  await flushSpans();
}

/** Milliseconds between checks: short for a file, and as the server's block says for a server. */
function everyOf({ jwks_file, jwks }: SentGeneration['config']['authorization_servers'][string]): number {
  return jwks_file === undefined ? jwks.ttl : FILE_EVERY;
}

const FILE_EVERY = 2_000;

/** The server for clients, and the servers for proxies that ask. */
type Servers = {
  readonly listen: Server;
  readonly decision: Server | undefined;
  readonly grpc: NetServer | undefined;
};

function each({ listen, decision }: Servers): readonly Server[] {
  return decision === undefined ? [listen] : [listen, decision];
}

/** Only positions of routes are ever looked up. */
function locator({ places }: SentGeneration): (pointer: Pointer) => Position {
  const nowhere = { file: '', line: 0, column: 0 };
  return ([, index]) => (typeof index === 'number' ? places[index] : undefined) ?? nowhere;
}

function takeOver(core: Core, servers: Servers, prepared: Map<number, Generation>, version: number): void {
  const next = prepared.get(version);
  if (next === undefined) throw new Error(`generation ${version} was not prepared`);
  prepared.delete(version);
  const old = core.live.current;
  core.live.current = next;
  for (const server of each(servers)) applyLimits(server, next.config.limits);
  old.lease.onEnd(() => core.log.debug('the previous generation has ended'));
  old.lease.release();
}

/** Receives the connections that the primary has accepted. */
function takeConnections(servers: Servers, line: IpcChannel<PrimaryVerbs, PrimaryNews>) {
  const silent = each(servers).map(trackSilent);
  const open = new Set<Socket>();
  let closed = 0;
  const tellClosed = () => {
    line.tell('closed', closed);
    closed = 0;
  };
  const take = (socket: Socket, entrance: Entrance) => {
    line.tell('took', true);
    open.add(socket);
    // A client may end its side and still wait for the answer.
    socket.allowHalfOpen = true;
    socket.once('close', () => {
      open.delete(socket);
      if (closed++ === 0) setImmediate(tellClosed);
    });
    servers[entrance]?.emit('connection', socket);
  };
  const over = async () => {
    while (open.size > 0) {
      for (const server of each(servers)) server.closeIdleConnections();
      await pause(20);
      // Received bytes are read before any connection closes.
      await turn();
    }
  };
  const endSilent = () => {
    for (const tracked of silent) tracked.end();
  };
  return { areOpen: () => open.size > 0, endSilent, take, over };
}

/** All decisions of one turn of the event loop form one message. */
function watcher({ decisions }: Core, line: IpcChannel<PrimaryVerbs, PrimaryNews>): (on: boolean) => void {
  let records: string[] = [];
  let stop: (() => void) | undefined;
  const flush = () => {
    line.tell('decisions', records);
    records = [];
  };
  return (on) => {
    if (on === (stop !== undefined)) return;
    stop?.();
    stop = on ? decisions.watch((record) => records.push(record) === 1 && setImmediate(flush)) : undefined;
  };
}
