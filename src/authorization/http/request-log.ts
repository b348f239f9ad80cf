import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Once the client is authenticated; at the pages, once it is known. */
    clientId: string | undefined;
    /** Of the refusal that was answered. */
    errorCode: string | undefined;
  }
  interface FastifyContextConfig {
    /** Of the endpoint. */
    name?: string;
  }
}

/**
 * One line and one count a request. The line is flat and none of its names is that of a secret, so it is written without
 * the search for secrets that other lines are worth.
 */
export function recordRequests(app: FastifyInstance, metrics: Metrics): void {
  app.decorateRequest('clientId', undefined);
  app.decorateRequest('errorCode', undefined);
  const lines = app.log.child({}, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered(endpointOf(request), request.errorCode ?? 'ok');
    lines.info(lineOf(request, reply), 'answered');
    done();
  });
}

/** No path and no query, which could hold a secret that a client put there by mistake. */
function lineOf(request: FastifyRequest, reply: FastifyReply) {
  const { id: request_id, clientId: client_id, errorCode: error, method, ip: address } = request;
  const milliseconds = Math.round(reply.elapsedTime);
  const endpoint = endpointOf(request);
  return { request_id, endpoint, method, status: reply.statusCode, error, client_id, address, milliseconds };
}

function endpointOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.name ?? 'none';
}
