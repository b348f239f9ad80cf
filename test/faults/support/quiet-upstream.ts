import { createServer, type Server } from 'node:http';

/** Reads everything and answers two bytes. Keeps nothing. */
export function quietUpstream(): Server {
  return createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'content-length': 2 }).end('ok'));
    request.on('error', () => {});
  });
}
