import { randomUUID } from 'node:crypto';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { buildClientErrorHandler } from './client-errors.ts';
import type { Endpoint } from './endpoint.ts';
import { introspectEndpoint } from './endpoints/introspect.ts';
import { jwksEndpoint } from './endpoints/jwks.ts';
import { metadataEndpoint } from './endpoints/metadata.ts';
import { revokeEndpoint } from './endpoints/revoke.ts';
import { tokenEndpoint } from './endpoints/token.ts';
import { handleErrors, sendError } from './errors.ts';
import { recordRequests } from './request-log.ts';
import { addEndpoints } from './routing.ts';
import { type ServerLimits, serverLimits } from './server-limits.ts';
import type { Service } from './service.ts';

const endpoints: readonly ((service: Service) => Endpoint)[] = [
  tokenEndpoint,
  introspectEndpoint,
  revokeEndpoint,
  jwksEndpoint,
  metadataEndpoint,
];

/** The public server: the endpoints, and nothing that listens yet. */
export function buildApp(service: Service, log: Logger, limits: ServerLimits = serverLimits): FastifyInstance {
  const { bodyLimit, requestTimeout, keepAliveTimeout, ...http } = limits;
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    bodyLimit,
    requestTimeout,
    keepAliveTimeout,
    http,
    return503OnClosing: false,
    clientErrorHandler: buildClientErrorHandler(log),
    frameworkErrors: (error, request, reply) => void sendError(error, neverCached(request, reply), reply),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => void neverCached(request, reply));
  recordRequests(app, service.metrics);
  handleErrors(app);
  addEndpoints(
    app,
    service.config.issuer,
    endpoints.map((build) => build(service)),
  );
  return app;
}

/** RFC 6749 §5.1, for answers and errors alike; documents that may be kept say so themselves. */
function neverCached(request: FastifyRequest, reply: FastifyReply): FastifyRequest {
  reply.headers({
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'x-content-type-options': 'nosniff',
    'x-request-id': request.id,
  });
  return request;
}
