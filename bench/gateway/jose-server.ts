// `node jose-server.ts TASK`: forwards each request to the upstream. The first segment of the path is the algorithm of
// a token that jose verifies before, or `none`.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { importJWK, jwtVerify } from 'jose';
import { Pool } from 'undici';
import type { Task } from './jose-command.ts';

const { port, upstream, audience, tokens }: Task = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const pool = new Pool(upstream, { connections: 128 });
const verifiers = new Map(
  await Promise.all(
    tokens.map(async ({ algorithm, jwk, issuer }) => {
      const key = await importJWK(jwk, algorithm);
      const options = { algorithms: [algorithm], issuer, audience, typ: 'at+jwt' };
      return [algorithm, (token: string) => jwtVerify(token, key, options)] as const;
    }),
  ),
);

createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1');

/** An answer other than 2xx ends the benchmark. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  try {
    const [, algorithm = ''] = path.split('/');
    await verifiers.get(algorithm as Task['tokens'][number]['algorithm'])?.(tokenOf(request));
    const { statusCode, headers, body } = await pool.request({ path, method: 'GET' });
    response.writeHead(statusCode, { 'content-type': headers['content-type'] as string });
    response.end(await body.text());
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}

function tokenOf({ headers: { authorization = '' } }: IncomingMessage): string {
  return authorization.slice('Bearer '.length);
}
