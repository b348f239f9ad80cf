import { randomUUID } from 'node:crypto';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { type TrustedProxies, trustedProxies } from '../base/forwarded-for.ts';
import { withoutSchemas } from '../base/no-schemas.ts';
import { backChannel } from './back-channel-table.ts';
import type { HostedSite } from './browser/site.ts';
import { frontChannel } from './front-channel.ts';
import { buildClientErrorHandler } from './http/client-errors.ts';
import { handleErrors, sendError } from './http/errors.ts';
import { recordRequests } from './http/request-log.ts';
import { RequestLogger } from './http/request-logger.ts';
import { addEndpoints } from './http/routing.ts';
import { type ServerLimits, serverLimits } from './http/server-limits.ts';
import type { Service } from './service.ts';

export interface AppOptions {
  readonly log: Logger;
  readonly hosted: HostedSite;
  readonly limits?: ServerLimits | undefined;
}

/** The public server: the endpoints, and nothing that listens yet. */
export function buildApp(service: Service, { log, hosted, limits = serverLimits }: AppOptions): FastifyInstance {
  const { bodyLimit, requestTimeout, keepAliveTimeout, ...http } = limits;
  const app = fastify({
    ...withoutSchemas,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    childLoggerFactory: (logger, bindings, options) => new RequestLogger(logger, bindings, options),
    genReqId: () => randomUUID(),
    trustProxy: service.config.trusted_proxies,
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
  const proxies = trustedProxies(service.config.trusted_proxies);
  app.addHook('onRequest', (request, reply, done) => {
    keepBelieved(proxies, request);
    keepAddress(request);
    neverCached(request, reply);
    done();
  });
  recordRequests(app, service.metrics);
  handleErrors(app);
  const rows = [...backChannel(service), ...frontChannel(service, hosted)];
  addEndpoints(app, service.config.issuer, rows);
  return app;
}

/** So that the framework, which takes each hop as it is written, finds addresses and nothing after a gap in them. */
function keepBelieved(proxies: TrustedProxies, { raw }: FastifyRequest): void {
  const line = raw.headers['x-forwarded-for'];
  if (line === undefined) return;
  const believed = proxies.believed([line].flat());
  if (believed.length > 0) raw.headers['x-forwarded-for'] = believed.join(', ');
  else delete raw.headers['x-forwarded-for'];
}

/** Of a client that nobody can tell, since it has left. */
const GONE = '0.0.0.0';

/** The framework asks the socket each time, and one that was closed meanwhile has no address any more. */
function keepAddress(request: FastifyRequest): void {
  const address: string | undefined = request.ip;
  Object.defineProperty(request, 'ip', { value: address ?? GONE });
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
