import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { endpoint, json } from '../../support/endpoint.ts';
import { signingKey } from '../../support/keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { audience, issuer } from '../../support/tokens.ts';

export const PARTNER = 'https://partner.example.com';

/** A file with most rules that Envoy can judge. The wide routes are more open than the narrow ones. */
export async function judgedFile(t: Test): Promise<object> {
  const jwks_file = join(temporaryFolder(t), 'keys.json');
  writeFileSync(jwks_file, JSON.stringify({ keys: [(await signingKey('ES256')).jwk] }));
  // Envoy uses every key of a set that it fetches. Only one of these two is for an accepted algorithm.
  const keys = [(await signingKey('RS256')).jwk, (await signingKey('ES384')).jwk];
  const { url } = await endpoint(t, (_request, response) => json(response, { keys }));
  const partner = { issuer: PARTNER, audience, jwks_uri: `${url}/jwks`, algorithms: ['RS256'], events: 'none' };
  const server = { issuer, audience, jwks_file, algorithms: ['ES256'], clock_skew: '30s', typ: ['at+jwt'] };
  return {
    resource: audience,
    cors: { origins: ['https://app.example.com'] },
    scopes: { admin: { implies: ['orders.read'] } },
    authorization_servers: { main: server, partner },
    defaults: { upstream: 'api' },
    routes: [
      { id: 'health', match: { path: '/health', methods: ['GET'] }, access: 'public' },
      { id: 'order-new', match: { path: '/orders/new', methods: ['POST'] }, scope: 'orders.write' },
      { id: 'order-one', match: { path: '/orders/{id}', methods: ['GET', 'HEAD'] }, scope: 'orders.read' },
      { id: 'orders', match: { path: '/orders/{rest*}' }, scope: { any_of: ['orders.read orders.list', 'admin'] } },
      { id: 'own', match: { path: '/own' }, access: 'authenticated', authorization_servers: ['main'] },
      { id: 'secret', match: { path: '/files/secret/{rest*}' }, scope: 'admin' },
      { id: 'colon', match: { path: '/files/a:b' }, scope: 'admin' },
      { id: 'letter', match: { path: '/files/J%C3%BCrgen' }, scope: 'admin' },
      { id: 'files', match: { path: '/files/{rest*}' }, access: 'authenticated', forward_credential: true },
      { id: 'open', match: { path: '/open/{rest*}' }, access: 'public' },
      { id: 'open-not', match: { path: '/open/closed', methods: ['PUT'] }, scope: 'admin' },
      { id: 'maybe', match: { path: '/maybe/{id}' }, access: 'optional' },
      {
        id: 'tenant',
        match: { path: '/t', methods: ['GET'] },
        scope: 'orders.read',
        claims: { tenant: { equals: 'acme' } },
      },
      { id: 'page', match: { path: '/page' }, access: 'public', origins: ['https://app.example.com'] },
      { id: 'host', match: { path: '/{rest*}', host: 'internal.example.com' }, scope: 'admin' },
      { id: 'hosts', match: { path: '/{rest*}', host: '{t}.tenants.example.com' }, scope: 'orders.read' },
    ],
  };
}

/** Rules that Envoy cannot judge, beside rules that it can. */
export async function askedFile(t: Test, upstream: string, decision: number): Promise<object> {
  const file = await judgedFile(t);
  return {
    ...file,
    listen: '127.0.0.1:0',
    decision: { listen: `127.0.0.1:${decision}` },
    trusted_proxies: ['127.0.0.1'],
    upstreams: { api: { url: upstream } },
    routes: [
      { id: 'files', match: { path: '/files/{rest*}', methods: ['GET'] }, access: 'authenticated' },
      { id: 'beta', match: { path: '/beta', headers: { 'x-stage': 'beta' } }, access: 'public' },
      { id: 'beta-all', match: { path: '/beta' }, scope: 'admin', when: 'request.method == "GET"' },
      {
        id: 'tenants',
        match: { path: '/tenants/{t}' },
        scope: 'orders.list',
        claims: { tenant: { equals: 'path.t' } },
      },
    ],
  };
}
