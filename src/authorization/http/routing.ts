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
import { formFault } from './form.ts';

/** Each endpoint at its paths, with its method; any other method is 405 with `Allow` (RFC 9110 §15.5.6). */
export function addEndpoints(app: FastifyInstance, issuer: string, endpoints: readonly Endpoint[]): void {
  const allowed = new Map<string, string[]>();
  for (const endpoint of endpoints) {
    for (const path of endpointPaths(issuer, endpoint)) {
      const place = endpoint.parameter === undefined ? path : inside(path);
      allowed.set(place, [...(allowed.get(place) ?? []), ...methodsOf(endpoint)]);
      addRoute(app, path, endpoint);
    }
  }
  app.setNotFoundHandler(({ raw }) => {
    const [path] = (raw.url ?? '').split('?', 1) as [string];
    const allow = allowed.get(path) ?? allowed.get(inside(path.slice(0, path.lastIndexOf('/'))));
    if (allow === undefined) throw new OAuthError('not_found');
    throw new OAuthError('method_not_allowed', { headers: { allow: allow.join(', ') } });
  });
}

/** Every path that has one more segment. */
function inside(path: string): string {
  return `${path}/{}`;
}

function methodsOf({ method, head, cors }: Endpoint): readonly string[] {
  return [method, ...(method === 'GET' && head !== false ? ['HEAD'] : []), ...(cors === undefined ? [] : ['OPTIONS'])];
}

function addRoute(app: FastifyInstance, path: string, endpoint: Endpoint): void {
  const { name, method, head, cors, handle, answerError, parameter } = endpoint;
  // the router reads `:` as the start of a parameter
  const url = path.replaceAll(':', '::') + (parameter === undefined ? '' : `/:${parameter}`);
  const route = { url, config: { name, ...(answerError && { answerError }) } };
  app.route({ ...route, method, onRequest: stepsOf(endpoint), handler: handle, exposeHeadRoute: head !== false });
  if (cors !== undefined) app.route({ ...route, method: 'OPTIONS', handler: preflight(cors, methodsOf(endpoint)) });
}

/** What is done before the body is read. */
function stepsOf({ method, headers, cors }: Endpoint): (onRequestHookHandler | onRequestAsyncHookHandler)[] {
  return [
    ...(headers ? [async (_: FastifyRequest, reply: FastifyReply) => void reply.headers(headers)] : []),
    ...(cors ? [openTo(cors)] : []),
    ...(method === 'POST' ? [judgeForm] : []),
  ];
}

function openTo({ answer }: Cors) {
  return async ({ headers }: FastifyRequest, reply: FastifyReply) => void reply.headers(await answer(headers.origin));
}

function preflight({ preflight }: Cors, methods: readonly string[]) {
  return async ({ headers }: FastifyRequest, reply: FastifyReply) =>
    reply
      .code(204)
      .headers({ allow: methods.join(', '), ...(await preflight(headers.origin)) })
      .send();
}

function judgeForm(request: FastifyRequest, _reply: FastifyReply, done: (fault?: Error) => void): void {
  done(formFault(request));
}
