import { createServer } from 'node:http';
import type { Test } from 'tap';
import { serving } from './serving.ts';

/** What an upstream got. */
export interface Echoed {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An upstream that answers with what it got, and the URL where it listens. Closed after the test. */
export async function echoUpstream(t: Test, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers: received } = request;
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ method, url, headers: received, body: Buffer.concat(chunks).toString() }));
    });
  });
  return serving(t, server);
}
