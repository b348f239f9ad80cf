import { loadGatewayText } from '../../../src/config/load/load.ts';

/** A file with these routes. `api`: more keys of the upstream that the routes use. */
export function loaded(routes: readonly string[], api = '') {
  const text = `version: 1
authorization_servers: { main: { issuer: "https://auth.example.com", audience: "https://api.example.com" } }
upstreams: { api: { url: "http://127.0.0.1:9"${api} }, other: { url: "http://127.0.0.1:10" } }
defaults: { upstream: api }
routes:
${routes.map((route) => `  - { ${route} }\n`).join('')}`;
  const file = loadGatewayText(text, { file: 'gateway.yaml' });
  if (!file.ok) throw new Error(JSON.stringify(file.problems));
  return file;
}
