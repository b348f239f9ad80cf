import type { FastifyInstance, FastifyRequest } from 'fastify';
import { OAuthError } from '../oauth/errors.ts';
import { type Endpoint, endpointPaths } from './endpoint.ts';
import { requireForm } from './form.ts';

/** Each endpoint at its paths, with its one method; any other method is 405 with `Allow` (RFC 9110 §15.5.6). */
export function addEndpoints(app: FastifyInstance, issuer: string, endpoints: readonly Endpoint[]): void {
  const allowed = new Map<string, string>();
  for (const endpoint of endpoints) {
    for (const path of endpointPaths(issuer, endpoint)) {
      allowed.set(path, endpoint.method === 'GET' ? 'GET, HEAD' : endpoint.method);
      addRoute(app, path, endpoint);
    }
  }
  app.setNotFoundHandler(({ raw }) => {
    const allow = allowed.get((raw.url ?? '').split('?', 1)[0] as string);
    if (allow === undefined) throw new OAuthError('not_found');
    throw new OAuthError('method_not_allowed', { headers: { allow } });
  });
}

function addRoute(app: FastifyInstance, path: string, { name, method, handle }: Endpoint): void {
  // the router reads `:` as the start of a parameter
  const route = { method, url: path.replaceAll(':', '::'), config: { name }, handler: handle };
  app.route(method === 'POST' ? { ...route, onRequest: judgeForm } : route);
}

async function judgeForm(request: FastifyRequest): Promise<void> {
  requireForm(request);
}
