import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Decisions } from './decisions.ts';

/** Bytes that may wait for one who watches; whoever is slower than that is let go and may come again. */
const BUFFER = 256 * 1024;
const MOST_WATCHERS = 32;
/** Milliseconds: a connection that nobody holds any more is noticed by writing to it. */
const HEARTBEAT = 15_000;

export type WatchedDecisions = Pick<Decisions, 'watchers' | 'watch'>;

/** `GET /decisions`: every decision as it is made, as server-sent events (WHATWG HTML §9.2) of one JSON object each. */
export function streamDecisions(app: FastifyInstance, decisions: WatchedDecisions): void {
  app.get('/decisions', (_request, reply) => {
    if (decisions.watchers >= MOST_WATCHERS) return reply.code(503).send({ error: 'too many watch already' });
    reply.hijack();
    watch(reply.raw, decisions);
    return reply;
  });
}

function watch(response: ServerResponse, decisions: WatchedDecisions): void {
  const send = (text: string) => {
    if (response.destroyed) return;
    if (response.writableLength > BUFFER) response.destroy();
    else response.write(text);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  send(': from here on\n\n');
  const stop = decisions.watch((record) => send(`data: ${record}\n\n`));
  const heartbeat = setInterval(send, HEARTBEAT, ':\n\n');
  response.on('error', () => {});
  response.on('close', () => {
    clearInterval(heartbeat);
    stop();
  });
}
