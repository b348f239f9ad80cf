import type { ServerOptions as HttpsOptions } from 'node:https';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { withoutSchemas } from '../../base/no-schemas.ts';
import type { GatewayLog } from '../message/fault-log.ts';
import type { ReceiverRefusal, Receiving } from '../receiver/receiving.ts';
import type { Relayed } from '../receiver/relay.ts';
import type { Receipt, ReceivedKind } from '../receiver/token-receiver.ts';

/** Bytes: more than the longest token, in a form. */
const LARGEST = 32 * 1024;
/** Milliseconds for a whole request. */
const LONGEST = 10_000;
/** Milliseconds between two requests of a connection. */
const LONGEST_IDLE = 5_000;
/** Milliseconds. Node.js would look only every 30 seconds whether a connection is too slow. */
const CHECK_EVERY = 1_000;
export const MOST_CONNECTIONS = 1_000;
/** Seconds. */
const RETRY_AFTER = 5;

interface Answer {
  readonly status: number;
  readonly body?: object;
}

/** How one kind of token arrives, and how its senders expect answers. */
interface Door {
  readonly path: string;
  readonly kind: ReceivedKind;
  readonly accepted: Answer;
  /** The same token again. */
  readonly again: Answer;
  readonly rejected: (code: string, description: string) => Answer;
}

/** A body, as the parser of its content type left it. */
interface Sent {
  readonly kind: ReceivedKind;
  readonly token: string | undefined;
}

const doors: readonly Door[] = [
  {
    path: '/backchannel-logout/:server',
    kind: 'logout',
    // OpenID Connect Back-Channel Logout §2.8.
    accepted: { status: 200 },
    again: { status: 400, body: { error: 'invalid_request', error_description: 'this jti was accepted before' } },
    rejected: (_code, error_description) => ({ status: 400, body: { error: 'invalid_request', error_description } }),
  },
  {
    path: '/security-events/:server',
    kind: 'event',
    // RFC 8935 §2.2 to §2.4. A sender that lost the first answer sends the token again.
    accepted: { status: 202 },
    again: { status: 202 },
    rejected: (err, description) => ({ status: 400, body: { err, description } }),
  },
];

const refusals: Readonly<Record<ReceiverRefusal, Answer>> = {
  unknown_server: { status: 404, body: { error: 'not found' } },
  not_authenticated: { status: 401, body: { err: 'authentication_failed', description: 'Authorization is wrong' } },
  busy: { status: 503, body: { error: 'temporarily_unavailable', error_description: 'too many tokens at a time' } },
};

type Servers = { readonly server: string };

/** Tells the client of a logout. */
type RelayLogout = (server: string, token: string, receipt: Receipt) => Promise<Relayed>;

export interface ReceiverParts {
  readonly receiving: Receiving;
  readonly relay: RelayLogout;
  /** Undefined: without TLS. */
  readonly tls: HttpsOptions | undefined;
  readonly log: GatewayLog;
}

/** Where authorization servers report logouts and security events. It forwards nothing, and shows nothing. */
export function buildReceiverListener({ tls, log, ...parts }: ReceiverParts): FastifyInstance {
  const nowhere = (url: string, reply: FastifyReply) => {
    // A query may have a token.
    parts.receiving.lost(url.split('?', 1)[0] as string);
    return unread(reply, refusals.unknown_server);
  };
  const app = openServer(tls, nowhere);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { kind: 'logout', token: logoutTokenIn(String(body)) } satisfies Sent),
  );
  app.addContentTypeParser('application/secevent+jwt', { parseAs: 'string' }, (_request, body, done) =>
    done(null, { kind: 'event', token: String(body) } satisfies Sent),
  );
  app.addHook('onRequest', async ({ is404, url }, reply) => {
    if (is404) return nowhere(url, reply);
  });
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const { statusCode: status } = error;
    if (status !== undefined && status < 500) return send(reply, { status, body: { error: 'invalid_request' } });
    log.error({ err: error }, 'internal error');
    return send(reply, { status: 500, body: { error: 'server_error' } });
  });
  for (const door of doors) open(app, door, parts);
  return app;
}

/** Answers a request whose path leads to no server. */
type Nowhere = (url: string, reply: FastifyReply) => FastifyReply;

/** Senders are strangers until their tokens are checked, so a connection is short. */
function openServer(tls: HttpsOptions | undefined, nowhere: Nowhere): FastifyInstance {
  const checks = { connectionsCheckingInterval: CHECK_EVERY };
  // The framework's type of an HTTPS server differs, but only in the type of its connections.
  const secure: object = tls === undefined ? { http: checks } : { https: { ...checks, ...tls } };
  const routerOptions = { ignoreTrailingSlash: true };
  const app = Fastify({
    ...withoutSchemas,
    forceCloseConnections: true,
    bodyLimit: LARGEST,
    routerOptions,
    // A path that the router cannot read.
    frameworkErrors: (_error, { url }, reply) => void nowhere(url, reply),
    ...secure,
  });
  app.server.maxConnections = MOST_CONNECTIONS;
  app.server.requestTimeout = LONGEST;
  app.server.headersTimeout = LONGEST;
  app.server.keepAliveTimeout = LONGEST_IDLE;
  // Node.js would request the body of a request that may be refused.
  app.server.on('checkContinue', (request, response) => app.server.emit('request', request, response));
  return app;
}

/** Requests the body of a sender that waits for this (RFC 9110 §10.1.1). */
async function requestBody({ raw: request }: FastifyRequest, { raw }: FastifyReply): Promise<void> {
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') raw.writeContinue();
}

/** The gateway never reads the body of this request, so it closes the connection. */
function unread(reply: FastifyReply, answer: Answer): FastifyReply {
  return send(reply.header('connection', 'close'), answer);
}

function open(
  app: FastifyInstance,
  { path, kind, ...answers }: Door,
  { receiving, relay }: Pick<ReceiverParts, 'receiving' | 'relay'>,
): void {
  const onRequest = async (request: FastifyRequest<{ Params: Servers }>, reply: FastifyReply) => {
    const refusal = receiving.refuse(request.params.server, kind, request.headers.authorization);
    if (refusal !== undefined) return unread(reply, refusals[refusal]);
  };
  app.post<{ Params: Servers; Body: Sent | undefined }>(
    path,
    { onRequest, preParsing: requestBody },
    async ({ params: { server }, body }, reply) => {
      const token = body?.kind === kind ? body.token : undefined;
      if (token === undefined) return send(reply, answers.rejected('invalid_request', 'there is no token'));
      const receipt = await receiving.receive(server, kind, token);
      const relayed = kind === 'logout' ? await relay(server, token, receipt) : 'not_needed';
      if (relayed === 'failed') return send(reply, RELAY_FAILED);
      return send(reply, relayed === 'done' ? answers.accepted : answerTo(receipt, answers));
    },
  );
}

const OUT: Answer = { status: 503, body: { error: 'temporarily_unavailable', error_description: 'try again' } };
/** The session has ended here, but the client does not know it. */
const RELAY_FAILED: Answer = { status: 502, body: { error: 'invalid_request', error_description: 'the relay failed' } };

function answerTo(
  receipt: Receipt,
  { accepted, again, rejected }: Pick<Door, 'accepted' | 'again' | 'rejected'>,
): Answer {
  if (receipt.kind === 'accepted') return accepted;
  if (receipt.kind === 'again') return again;
  return receipt.kind === 'out' ? OUT : rejected(receipt.code, receipt.description);
}

function send(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  reply.code(status).header('cache-control', 'no-store');
  if (status === 503) reply.header('retry-after', RETRY_AFTER);
  // RFC 9110 §11.6.1.
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  // RFC 8935 §2.3: the language of the description.
  if (body !== undefined) reply.header('content-language', 'en');
  return reply.send(body);
}

/** A repeated parameter has no single meaning (RFC 6749 §3.1). The others are never compared, since a form may have thousands. */
function logoutTokenIn(form: string): string | undefined {
  const [token, ...others] = new URLSearchParams(form).getAll('logout_token');
  return others.length === 0 ? token : undefined;
}
