import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { OAuthError } from '../../oauth/errors.ts';
import type { Cors } from './cors.ts';
import { type Endpoint, endpointPaths } from './endpoint.ts';
import { requireForm } from './form.ts';

/** Each endpoint at its paths, with its method; any other method is 405 with `Allow` (RFC 9110 §15.5.6). */
export function addEndpoints(app: FastifyInstance, issuer: string, endpoints: readonly Endpoint[]): void {
  const allowed = new Map<string, string[]>();
  for (const endpoint of endpoints) {
    for (const path of endpointPaths(issuer, endpoint)) {
      allowed.set(path, [...(allowed.get(path) ?? []), ...methodsOf(endpoint)]);
      addRoute(app, path, endpoint);
    }
  }
  app.setNotFoundHandler(({ raw }) => {
    const allow = allowed.get((raw.url ?? '').split('?', 1)[0] as string);
    if (allow === undefined) throw new OAuthError('not_found');
    throw new OAuthError('method_not_allowed', { headers: { allow: allow.join(', ') } });
  });
}

function methodsOf({ method, head, cors }: Endpoint): readonly string[] {
  return [method, ...(method === 'GET' && head !== false ? ['HEAD'] : []), ...(cors === undefined ? [] : ['OPTIONS'])];
}

function addRoute(app: FastifyInstance, path: string, endpoint: Endpoint): void {
  const { name, method, head, cors, handle, answerError } = endpoint;
  // the router reads `:` as the start of a parameter
  const route = { url: path.replaceAll(':', '::'), config: { name, ...(answerError && { answerError }) } };
  app.route({ ...route, method, onRequest: stepsOf(endpoint), handler: handle, exposeHeadRoute: head !== false });
  if (cors !== undefined) app.route({ ...route, method: 'OPTIONS', handler: preflight(cors, methodsOf(endpoint)) });
}

/** What is done before the body is read. */
function stepsOf({ method, headers, cors }: Endpoint): onRequestAsyncHookHandler[] {
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

async function judgeForm(request: FastifyRequest): Promise<void> {
  requireForm(request);
}
