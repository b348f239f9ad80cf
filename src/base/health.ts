import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import type { Registry } from 'prom-client';
import { withoutSchemas } from './no-schemas.ts';
import { type IsOurs, type OwnPages, refusePages } from './refuse-pages.ts';

/** Why a process is not ready. */
export interface NotReady {
  readonly reason: string;
  /** The last failure. It may name hosts, and never contains a secret. */
  readonly cause?: string | undefined;
}

export interface Health {
  /** Undefined: ready. */
  readonly notReady: () => NotReady | undefined | Promise<NotReady | undefined>;
  /** A remark about a process that is ready. */
  readonly remark?: () => string | undefined;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
}

/** /livez, /readyz and /metrics, for probes and scrapers, on a separate listener. */
export function buildHealth(
  { notReady, remark, registry }: Health,
  isOurs: IsOurs,
  options: FastifyServerOptions = {},
  own?: OwnPages,
): FastifyInstance {
  const app = Fastify({ ...withoutSchemas, forceCloseConnections: true, ...options });
  refusePages(app, isOurs, own);
  // The framework's message repeats the path, which may contain a token.
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: 'not found' }));
  app.get('/livez', () => ({ status: 'live' }));
  app.get('/readyz', async (_request, reply) => {
    const fault = await notReady();
    if (fault !== undefined) return reply.code(503).send({ status: 'not ready', ...fault });
    return { status: 'ready', remark: remark?.() };
  });
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  return app;
}
