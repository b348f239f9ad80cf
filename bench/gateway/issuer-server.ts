// The authorization server of the benchmark: `node issuer-server.ts PORT KEYS`. It prepares its answers at its start.
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { audience } from './tokens.ts';

const [port = '', keys = ''] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const HOUR = 3600;

const metadata = JSON.stringify({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  introspection_endpoint: `${issuer}/introspect`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
});
const documents: Readonly<Record<string, string>> = {
  '/.well-known/openid-configuration': metadata,
  '/jwks': readFileSync(keys, 'utf8'),
};
const claims = { iss: `${issuer}/opaque`, aud: audience, sub: 'alice', client_id: 'shop', scope: 'orders.read' };
const active = JSON.stringify({ active: true, ...claims, exp: Math.floor(Date.now() / 1000) + 24 * HOUR });
const inactive = JSON.stringify({ active: false });
const known = /(?:^|&)token=opaque-\d{36}(?:&|$)/;

function send(response: ServerResponse, text: string | undefined): void {
  response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text);
}

createServer((request, response) => {
  if (request.url !== '/introspect') return send(response, documents[request.url ?? '']);
  let form = '';
  request.on('data', (chunk) => {
    form += chunk;
  });
  request.on('end', () => send(response, known.test(form) ? active : inactive));
}).listen(Number(port), '127.0.0.1');
