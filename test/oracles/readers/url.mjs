// A Node.js server that reads a target as many do: it decodes first, and then uses the URL parser.
import { createServer } from 'node:http';

function said(request) {
  const url = new URL(decodeURIComponent(request.url), `http://${request.headers.host}`);
  const op = url.searchParams.get('op') ?? '';
  return [url.hostname, request.headers['x-env'] ?? '', encodeURIComponent(op), url.pathname].join('\n');
}

const server = createServer({ keepAlive: true }, (request, response) => {
  let body;
  try {
    body = Buffer.from(said(request), 'latin1');
    response.writeHead(200, { 'content-length': body.length });
  } catch {
    response.writeHead(400, { 'content-length': 0 });
  }
  response.end(body);
});
server.requestTimeout = 0;
server.keepAliveTimeout = 600_000;
server.listen(Number(process.argv[2]), '127.0.0.1');
