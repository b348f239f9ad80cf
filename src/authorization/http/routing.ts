import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';
import type { Cors } from './cors.ts';
import { type Endpoint, endpointPaths } from './endpoint.ts';
import { formFault, hasNoBody } from './form.ts';
import { jsonFault } from './json-body.ts';

/** Adds each endpoint at its paths with its method. Any other method gets 405 with `Allow` (RFC 9110 §15.5.6). */
export function addEndpoints(app: FastifyInstance, issuer: string, endpoints: readonly Endpoint[]): void {
  const allowed = new Map<string, string[]>();
  for (const endpoint of endpoints) {
    for (const path of endpointPaths(issuer, endpoint)) {
      const place = endpoint.parameter === undefined ? path : inside(path);
      const known = allowed.get(place);
      allowed.set(place, [...new Set([...(known ?? []), ...methodsOf(endpoint)])]);
      addRoute(app, path, endpoint);
      if (known === undefined) addPreflight(app, path, endpoint, () => allowed.get(place) ?? []);
    }
  }
  app.setNotFoundHandler(({ raw }) => {
    const [path] = (raw.url ?? '').split('?', 1) as [string];
    const allow = allowed.get(path) ?? allowed.get(inside(path.slice(0, path.lastIndexOf('/'))));
    if (allow === undefined) throw new OAuthError('not_found');
    throw new OAuthError('method_not_allowed', { headers: { allow: allow.join(', ') } });
  });
}

/** A pattern for all paths with one more segment. */
function inside(path: string): string {
  return `${path}/{}`;
}

function methodsOf({ method, head, cors }: Endpoint): readonly string[] {
  return [method, ...(method === 'GET' && head !== false ? ['HEAD'] : []), ...(cors === undefined ? [] : ['OPTIONS'])];
}

function addRoute(app: FastifyInstance, path: string, endpoint: Endpoint): void {
  const { method, head, handle, parameter } = endpoint;
  const onRequest = [onlyAsWritten(path, parameter), ...stepsOf(endpoint)];
  app.route({ ...routeOf(path, endpoint), method, onRequest, handler: handle, exposeHeadRoute: head !== false });
}

/** One for each path. `methods`: of all endpoints at this path. */
function addPreflight(app: FastifyInstance, path: string, endpoint: Endpoint, methods: () => readonly string[]): void {
  const { cors, parameter } = endpoint;
  if (cors === undefined) return;
  const onRequest = onlyAsWritten(path, parameter);
  app.route({ ...routeOf(path, endpoint), method: 'OPTIONS', onRequest, handler: preflight(cors, methods) });
}

/** The router reads `:` as the start of a parameter. */
function routeOf(path: string, { name, answerError, parameter }: Endpoint) {
  const url = path.replaceAll(':', '::') + (parameter === undefined ? '' : `/:${parameter}`);
  return { url, config: { name, ...(answerError && { answerError }) } };
}

/**
 * The router decodes paths. A proxy that allows only some paths may not decode. So another spelling is another path, for 404
 * and for 405.
 */
function onlyAsWritten(path: string, parameter: string | undefined): onRequestAsyncHookHandler {
  const isThere = parameter === undefined ? (found: string) => found === path : isInside(path);
  return async ({ raw }) => {
    if (!isThere(pathOf(raw.url ?? ''))) throw new OAuthError('not_found');
  };
}

/** The endpoint itself checks the spelling of the parameter. */
function isInside(path: string) {
  return (found: string) => found.startsWith(`${path}/`);
}

/** Also accepts an absolute target (RFC 9112 §3.2.2). */
function pathOf(target: string): string {
  const [path = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1);
  return path;
}

/** These steps run before the body is read. */
function stepsOf({ method, headers, cors, ...bodied }: Endpoint): (onRequestHookHandler | onRequestAsyncHookHandler)[] {
  return [
    ...(headers ? [async (_: FastifyRequest, reply: FastifyReply) => void reply.headers(headers)] : []),
    ...(cors ? [openTo(cors)] : []),
    ...(method === 'POST' || method === 'PUT' ? [judgeOf(bodied)] : []),
  ];
}

function openTo({ unasked, answer }: Cors) {
  return async ({ headers }: FastifyRequest, reply: FastifyReply) =>
    void reply.headers(headers.origin === undefined ? unasked : await answer(headers.origin));
}

function preflight({ preflight }: Cors, methods: () => readonly string[]) {
  return async ({ headers }: FastifyRequest, reply: FastifyReply) =>
    reply
      .code(204)
      .headers({ allow: methods().join(', '), ...(await preflight(headers.origin)) })
      .send();
}

function judgeOf({ body, isBodyOptional }: Pick<Endpoint, 'body' | 'isBodyOptional'>): onRequestHookHandler {
  if (body === 'json') return (request, _reply, done) => done(jsonFault(request));
  return isBodyOptional ? judgeOptionalForm : judgeForm;
}

function judgeOptionalForm(request: FastifyRequest, reply: FastifyReply, done: (fault?: Error) => void): void {
  if (hasNoBody(request)) done();
  else judgeForm(request, reply, done);
}

function judgeForm(request: FastifyRequest, _reply: FastifyReply, done: (fault?: Error) => void): void {
  done(formFault(request));
}
