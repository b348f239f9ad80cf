import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { iconAsset, stylesheetAsset } from '../authorization/pages/pages.ts';
import { textsForHeader } from '../base/languages.ts';
import { withoutSchemas } from '../base/no-schemas.ts';
import { readOwnFile } from '../base/own-files.ts';
import { clientDocument } from './client-document.ts';
import { addresses, demoPage, type Ports, signInScope } from './files.ts';
import { demoLanguages } from './texts/languages.ts';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** The addresses after a sign-in and a sign-out show the same page. */
const pages = ['/', '/callback', '/signed-out'];

/** Path → file beside this one. */
const served = {
  '/client.js': { file: 'client.js', type: SCRIPT },
  '/view.js': { file: 'view.js', type: SCRIPT },
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
  for (const path of pages) app.get(path, (request, reply) => reply.type(HTML).send(clientDocument(textsFor(request))));
  app.get('/texts.js', (request, reply) =>
    reply.type(SCRIPT).send(`export const texts = ${JSON.stringify(textsFor(request).script)};\n`),
  );
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

function textsFor({ headers }: FastifyRequest) {
  return textsForHeader(demoLanguages, headers['accept-language']);
}
