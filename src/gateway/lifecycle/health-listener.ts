import type { FastifyInstance, FastifyReply } from 'fastify';
import { buildHealth, type Health } from '../../base/health.ts';
import { withoutCause } from '../../base/health-cause.ts';
import { isLoopback } from '../../config/words/host.ts';
import { hostsOf } from '../../config/words/hosts-of.ts';
import { upstreamFault } from '../forward/upstream-fault.ts';
import type { LiveGeneration } from '../generation/generation.ts';
import type { HealthPass } from '../generation/health-pass.ts';
import { type Code, entry } from '../message/codes.ts';
import { probeUpstream } from '../upstreams/upstream-probe.ts';

/**
 * Answers probes of the gateway itself, and forwards some paths to an upstream. If it does not listen on loopback,
 * unknown clients may reach it. A cause may contain the internal hostname of an authorization server or a database. So
 * this listener then hides the cause, and only the admin listener and the log show it.
 */
export function buildHealthListener(health: Health, host: string, live: LiveGeneration): FastifyInstance {
  const app = buildHealth(isLoopback(host) ? health : withoutCause(health), hostsOf(host));
  app.get('*', async ({ method, url }, reply) => {
    const { healthPasses, lease } = live.current;
    const pass = healthPasses.get(url.split('?', 1)[0] as string);
    if (pass === undefined) return reply.callNotFound();
    lease.take();
    reply.raw.once('close', () => lease.release());
    return forward(pass, method === 'HEAD' ? 'HEAD' : 'GET', reply);
  });
  return app;
}

/** Bytes of an upstream's health answer. */
const LIMIT = 1024 * 1024;

/** Forwards no part of the probe, and adds no credential. */
async function forward({ upstream, path, timeout }: HealthPass, method: 'GET' | 'HEAD', reply: FastifyReply) {
  const origin = upstream.choose();
  if (origin === undefined) return fail(reply, 'upstream_unhealthy');
  const headers = ['host', origin.host ?? origin.authority];
  try {
    const question = { path, method, headers, servername: origin.serverName, timeout, limit: LIMIT };
    const answer = await probeUpstream(origin.carrier, question);
    origin.breaker?.succeeded(origin.breaker.epoch);
    const type = answer.headers.get('content-type');
    if (type !== undefined) reply.header('content-type', type);
    return reply.code(answer.status).header('cache-control', 'no-store').send(answer.body);
  } catch (error) {
    origin.breaker?.abandoned(origin.breaker.epoch);
    return fail(reply, upstreamFault(error as Error));
  }
}

function fail(reply: FastifyReply, code: Code) {
  return reply.code(entry(code).status).send({ status: 'not ready', reason: code });
}
