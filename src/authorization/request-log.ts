import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from './metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Once the client is authenticated. */
    clientId: string | undefined;
    /** Of the refusal that was answered. */
    errorCode: string | undefined;
  }
  interface FastifyContextConfig {
    /** Of the endpoint. */
    name?: string;
  }
}

/** One line and one count a request. */
export function recordRequests(app: FastifyInstance, metrics: Metrics): void {
  app.decorateRequest('clientId', undefined);
  app.decorateRequest('errorCode', undefined);
  app.addHook('onResponse', async (request, reply) => record(metrics, request, reply));
}

/** No path and no query, which could hold a secret that a client put there by mistake. */
function record(metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const { clientId: client_id, errorCode: error, method, ip: address } = request;
  const endpoint = request.routeOptions.config.name ?? 'none';
  const milliseconds = Math.round(reply.elapsedTime);
  metrics.answered(endpoint, error ?? 'ok');
  request.log.info({ endpoint, method, status: reply.statusCode, error, client_id, address, milliseconds }, 'answered');
}
