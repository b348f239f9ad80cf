import type { FastifyInstance, FastifyReply } from 'fastify';
import { buildHealth, type Health } from '../../base/health.ts';
import { entry } from '../codes.ts';
import { upstreamFault } from '../forward/upstream-fault.ts';
import type { LiveGeneration } from './generation.ts';
import type { HealthPass } from './health-pass.ts';

/** What probes ask of the gateway itself, and the paths that lead on to an upstream. */
export function buildHealthListener(health: Health, live: LiveGeneration): FastifyInstance {
  const app = buildHealth(health);
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

/** Nothing that the probe sent is passed on, and no credential is added. */
async function forward({ upstream, path, timeout }: HealthPass, method: 'GET' | 'HEAD', reply: FastifyReply) {
  try {
    const headers = { host: upstream.host ?? upstream.authority };
    const limits = { headersTimeout: timeout, bodyTimeout: timeout };
    const { statusCode, headers: own, body } = await upstream.pool.request({ path, method, headers, ...limits });
    const type = own['content-type'];
    if (type !== undefined) reply.header('content-type', type);
    return reply.code(statusCode).header('cache-control', 'no-store').send(body);
  } catch (error) {
    const code = upstreamFault(error as Error);
    return reply.code(entry(code).status).send({ status: 'not ready', reason: code });
  }
}
