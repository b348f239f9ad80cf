import Fastify, { type FastifyInstance } from 'fastify';
import { iconAsset, stylesheetAsset } from '../authorization/pages/pages.ts';
import { withoutSchemas } from '../base/no-schemas.ts';
import { readOwnFile } from '../base/own-files.ts';
import { addresses, demoPage, type Ports, signInScope } from './files.ts';

const html = 'text/html; charset=utf-8';

/** Path → file beside this one. The addresses after a sign-in and a sign-out show the same page. */
const served = {
  '/': { file: 'index.html', type: html },
  '/callback': { file: 'index.html', type: html },
  '/signed-out': { file: 'index.html', type: html },
  '/client.js': { file: 'client.js', type: 'text/javascript; charset=utf-8' },
  '/view.js': { file: 'view.js', type: 'text/javascript; charset=utf-8' },
  '/style.css': { file: 'style.css', type: 'text/css; charset=utf-8' },
} as const;

/** The look of the pages of the authorization service. */
const sharedLook = {
  '/look.css': stylesheetAsset(),
  '/icon.svg': iconAsset(),
};

/** A client with a separate origin. The script in the browser does everything; this server only delivers it. */
export function buildClientPage(ports: Ports): FastifyInstance {
  const app = Fastify({ ...withoutSchemas, forceCloseConnections: true });
  const { issuer, api, redirectUri, afterLogout } = addresses(ports);
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${issuer} ${api}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  app.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
  for (const [path, { file, type }] of Object.entries(served)) {
    const body = readOwnFile(new URL(`page/${file}`, import.meta.url));
    app.get(path, (_request, reply) => reply.type(type).send(body));
  }
  for (const [path, { body, type }] of Object.entries(sharedLook))
    app.get(path, (_request, reply) => reply.type(type).send(body));
  app.get('/settings.json', () => ({
    issuer,
    api,
    redirectUri,
    afterLogout,
    clientId: demoPage.id,
    scope: signInScope,
  }));
  return app;
}
