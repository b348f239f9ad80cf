// The upstream of the part event-streams: `node event-stream-server.ts PORT`. A GET of /es/events gets a stream of
// events until the client leaves. Any other GET gets a short answer.
import { createServer, type ServerResponse } from 'node:http';
import { EVENT_BYTES, EVERY } from './event-stream-rate.ts';

const streams = new Set<ServerResponse>();

createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  if (request.url !== '/es/events') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":1}');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  streams.add(response);
  response.on('close', () => streams.delete(response));
}).listen(Number(process.argv[2]), '127.0.0.1');

setInterval(() => {
  // All clocks of one machine that count from the epoch agree.
  const begun = `data: ${Date.now()} `;
  const event = `${begun}${'x'.repeat(EVENT_BYTES - begun.length - 2)}\n\n`;
  for (const stream of streams) stream.write(event);
}, EVERY);
