import { randomUUID } from 'node:crypto';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Logger } from 'pino';
import { parseTrustedProxies, type TrustedProxies } from '../base/forwarded-for.ts';
import { mayNameClient } from '../base/names-client.ts';
import { withoutSchemas } from '../base/no-schemas.ts';
import { backChannel } from './back-channel-table.ts';
import type { HostedSite } from './browser/site.ts';
import { frontChannel } from './front-channel.ts';
import type { Grants } from './grants/grants.ts';
import { buildClientErrorHandler } from './http/client-errors.ts';
import { handleErrors, recordError } from './http/errors.ts';
import type { Gate } from './http/gate.ts';
import { RequestLogger, recordRequests } from './http/request-log.ts';
import { addEndpoints } from './http/routing.ts';
import { type ServerLimits, serverLimits } from './http/server-limits.ts';
import type { Service } from './service/service.ts';

export interface AppOptions {
  readonly log: Logger;
  readonly hosted: HostedSite;
  readonly gate: Gate;
  readonly limits?: ServerLimits | undefined;
  /** The grants of the token endpoint. Default: all grants of this program. */
  readonly grants?: Grants | undefined;
}

/** Builds the public server with its endpoints. It does not listen yet. */
export function buildApp(
  service: Service,
  { log, hosted, gate, limits = serverLimits, grants }: AppOptions,
): FastifyInstance {
  const ofEveryAnswer = commonHeaders(service.config.issuer);
  const { bodyLimit, requestTimeout, keepAliveTimeout, ...http } = limits;
  const front = frontChannel(service, hosted);
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
    frameworkErrors: (error, request, reply) =>
      void front.answerStray(recordError(error, ofEveryAnswer(request, reply)), request, reply),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const proxies = parseTrustedProxies(service.config.trusted_proxies);
  app.addHook('onRequest', (request, reply, done) => {
    if (mayNameClient(request.headers)) service.untrustedProxies.look(request.raw, proxies);
    keepBelieved(proxies, request);
    keepAddress(request);
    ofEveryAnswer(request, reply);
    done();
  });
  app.addHook('onRequest', (_request, _reply, done) => gate.pass(done));
  app.decorate('storeOutage', service.storeOutage);
  recordRequests(app, service.metrics);
  handleErrors(app, front.answerStray);
  const rows = [...backChannel(service, grants), ...front.endpoints];
  addEndpoints(app, service.config.issuer, rows);
  return app;
}

/** Removes forged hops. The framework trusts each hop as written, so it must see only addresses, without gaps. */
function keepBelieved(proxies: TrustedProxies, { raw }: FastifyRequest): void {
  const line = raw.headers['x-forwarded-for'];
  if (line === undefined) return;
  const believed = proxies.believed([line].flat());
  if (believed.length > 0) raw.headers['x-forwarded-for'] = believed.join(', ');
  else delete raw.headers['x-forwarded-for'];
}

/** For a client that has left. The refusal cannot reach it. */
const GONE = '0.0.0.0';

/** The framework reads the address from the socket each time. A socket that was closed meanwhile has no address. */
function keepAddress(request: FastifyRequest): void {
  const address: string | undefined = request.ip;
  Object.defineProperty(request, 'ip', { value: address ?? GONE });
}

/** Seconds: one year, which browsers require for their preload lists. */
const HTTPS_FOR = 31_536_000;

/**
 * RFC 6749 §5.1, for answers and errors alike. Cacheable documents set their own header. With an https issuer, browsers return
 * by https only (RFC 6797). A proxy in front forwards the header, which has no effect between the proxy and us.
 */
function commonHeaders(issuer: string) {
  const fixed = {
    'cache-control': 'no-store',
    pragma: 'no-cache',
    'x-content-type-options': 'nosniff',
    ...(issuer.startsWith('https:') && { 'strict-transport-security': `max-age=${HTTPS_FOR}` }),
  };
  return (request: FastifyRequest, reply: FastifyReply): FastifyRequest => {
    reply.headers({ ...fixed, 'x-request-id': request.id });
    return request;
  };
}
