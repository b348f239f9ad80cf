import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { answerWithin } from '../base/answer-within.ts';
import { seconds } from '../base/clock.ts';
import { trackConnections } from '../base/connections.ts';
import { buildHealth, type Health, type NotReady } from '../base/health.ts';
import { shownCause, withoutCause } from '../base/health-cause.ts';
import { lastRequests, stopListening } from '../base/last-requests.ts';
import { listen } from '../base/listen.ts';
import { roomForConnections } from '../base/open-files.ts';
import { addProcessMetrics } from '../base/process-metrics.ts';
import { fileLimitInWords } from '../base/refused-connections.ts';
import type { AuthorizationConfig } from '../config/schema/authorization.ts';
import { isLoopback } from '../config/words/host.ts';
import { hostsOf } from '../config/words/hosts-of.ts';
import { COUNTED_ALONE } from '../counters/counters.ts';
import { rootReason } from '../storage/engine/errors.ts';
import { buildApp } from './app.ts';
import { loadSite } from './browser/site.ts';
import { takeUpFileUsers } from './file-users.ts';
import type { Grants } from './grants/grants.ts';
import { choresOf, startHousekeeping } from './housekeeping.ts';
import { buildGate } from './http/gate.ts';
import type { ServerLimits } from './http/server-limits.ts';
import { type OpenService, openService, type ServiceDependencies } from './open-service.ts';
import type { Service } from './service/service.ts';
import { refuseSharedSubjects } from './shared-subjects.ts';

export interface AuthorizationDependencies extends ServiceDependencies {
  readonly limits?: ServerLimits;
  /** The grants of the token endpoint. Default: all grants of this program. */
  readonly grants?: Grants | undefined;
  /** Milliseconds between two regular checks for new signing keys. */
  readonly keysEvery?: number;
}

export interface Authorization {
  readonly service: Service;
  readonly app: FastifyInstance;
  /** Listens at `listen`, `admin` and `health`. Returns the URLs, which are needed if a port is 0. */
  start(): Promise<{ readonly url: string; readonly admin?: string; readonly health?: string }>;
  /**
   * Becomes not ready at once, then finishes requests in flight, then closes the store.
   * @param lastRequests milliseconds for which open connections may send another request; default 0
   */
  stop(lastRequests?: number): Promise<void>;
}

/**
 * Builds the whole authorization service in this process: opens and migrates the store, and makes the keys. It does not listen
 * yet.
 */
export async function buildAuthorization(
  config: AuthorizationConfig,
  deps: AuthorizationDependencies,
): Promise<Authorization> {
  const opened = await openService(config, deps);
  try {
    await opened.service.audit.open();
    await refuseSharedSubjects(opened.service);
    return assemble(opened, deps);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function assemble({ service, close }: OpenService, deps: AuthorizationDependencies): Authorization {
  const { log, limits, directory, grants } = deps;
  const { config, clock, metrics } = service;
  const gate = buildGate();
  const app = buildApp(service, { log, limits, gate, grants, hosted: loadSite(service.config, directory) });
  let isDraining = false;
  let stopHousekeeping = async () => {};
  const notReady = async () => {
    if (isDraining) return { reason: 'draining' };
    return gate.isOpen ? await storeFault(service) : { reason: 'starting' };
  };
  const remark = () => (service.counters.reachable() ? undefined : COUNTED_ALONE);
  const probes = { notReady, remark, registry: metrics.registry };
  const admin = buildHealth(probes, hostsOf(config.admin?.host ?? ''));
  const health = healthListener(probes, config.health?.host ?? '');
  limitConnections(app.server, service);
  const connections = trackConnections(app.server);

  const listenEverywhere = async () => ({
    url: await listen(app, config.listen, 'listen'),
    ...(config.admin && { admin: await listen(admin, config.admin, 'admin') }),
    ...(config.health && { health: await listen(health, config.health, 'health') }),
  });

  async function start() {
    addProcessMetrics(metrics.registry);
    await service.counters.start();
    const urls = await listenEverywhere().catch(gate.fail);
    // After it listens, because a start with an occupied port must not sign anyone out.
    await takeUpFile(service).then(gate.open, gate.fail);
    stopHousekeeping = startHousekeeping(service, log, choresOf(clock, log, deps.keysEvery));
    return urls;
  }

  async function stop(milliseconds = 0) {
    isDraining = true;
    connections.lastAnswers();
    const atRest = stopHousekeeping();
    // Answers of the feed never end by themselves, and their waits in the store must not keep the listener open.
    const fed = service.feed.close();
    await stopListening(app.server);
    await lastRequests(() => connections.open > 0, milliseconds);
    const closed = Promise.all([fed, app.close()]);
    connections.drain();
    await closed;
    await Promise.all([admin.close(), health.close()]);
    await atRest;
    await close();
  }

  return { service, app, start, stop };
}

/** Without this limit, a flood of connections would leave no file for the store. */
function limitConnections(server: Server, { refused }: Service): void {
  const room = roomForConnections(1);
  server.maxConnections = room;
  refused.watch(server, 'listen', () => fileLimitInWords(room));
}

/** The receivers come first, because changes of users may be events for them. */
async function takeUpFile(service: Service): Promise<void> {
  await service.records.setEventReceivers(service.config.security_events.receivers);
  await takeUpFileUsers(service);
}

/**
 * Milliseconds that a probe waits for the store. This is less than other calls wait, so that the probe gets its answer in time.
 */
const PROBE_WAITS = 1_500;

async function storeFault({ records, clock, storeOutage }: Service): Promise<NotReady | undefined> {
  try {
    await answerWithin(records.ping(seconds(clock)), PROBE_WAITS);
    return undefined;
  } catch (error) {
    storeOutage.met(error);
    return { reason: 'the store cannot be used', cause: shownCause(rootReason(error)) };
  }
}

/** Strangers may reach this listener, unless it is on loopback. The admin listener always shows the cause. */
function healthListener(probes: Health, host: string): FastifyInstance {
  return buildHealth(isLoopback(host) ? probes : withoutCause(probes), hostsOf(host));
}
