import { createServer, type ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { serving } from './serving.ts';

export interface CountedUpstream {
  readonly url: string;
  /** `begins GET /a`, then `ends GET /a` before its answer is sent, or `is cut GET /a`. */
  readonly events: readonly string[];
  readonly bodies: ReadonlyMap<string, string>;
  readonly headers: ReadonlyMap<string, NodeJS.Dict<string | string[]>>;
  /** The most requests at one time since the last reset. */
  most: number;
  /** Called when a request begins. */
  began: () => void;
  /** Requests under way. */
  readonly open: number;
  /** Answers the requests that wait under `/public/held`, and holds no more requests. */
  release(): void;
}

type Answer = (response: ServerResponse, url: string) => void;

const answers: { readonly [part: string]: Answer } = {
  empty: (response) => response.writeHead(204).end(),
  unchanged: (response) => response.writeHead(304, { etag: '"a"' }).end(),
  chunked: (response, url) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(url),
  large: (response) => response.end(Buffer.alloc(8 * 1024 * 1024, 'x')),
};

/**
 * An upstream that counts the requests in progress, answers each request in a later turn of the event loop, and holds
 * requests for `/public/held`.
 */
export async function countedUpstream(t: Test): Promise<CountedUpstream> {
  const events: string[] = [];
  const bodies = new Map<string, string>();
  const headers = new Map<string, NodeJS.Dict<string | string[]>>();
  const held = new Set<() => void>();
  let isHolding = true;
  const upstream = { events, bodies, headers, most: 0, open: 0, url: '', began: () => {}, release };
  function release(): void {
    isHolding = false;
    for (const answer of held) answer();
    held.clear();
  }
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { method = '', url = '' } = request;
    const name = `${method} ${url}`;
    let isOver = false;
    const end = (how: string) => {
      if (isOver) return;
      isOver = true;
      upstream.open--;
      events.push(`${how} ${name}`);
    };
    upstream.open++;
    upstream.most = Math.max(upstream.most, upstream.open);
    upstream.began();
    events.push(`begins ${name}`);
    headers.set(url, request.headers);
    const answer = () => {
      if (response.destroyed) return;
      end('ends');
      const special = Object.entries(answers).find(([part]) => url.startsWith(`/public/${part}`));
      if (special !== undefined) special[1](response, url);
      else response.end(url);
    };
    response.on('close', () => end('is cut'));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      bodies.set(url, Buffer.concat(chunks).toString());
      if (isHolding && url.startsWith('/public/held')) held.add(answer);
      else if (isHolding) setTimeout(answer, 3);
      else setImmediate(answer);
    });
  });
  upstream.url = await serving(t, server);
  return upstream;
}
