import { createServer, type IncomingMessage } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { ReadRequest } from './read-request.ts';

export interface NodeReading {
  readonly requests: readonly ReadRequest[];
  /** It answered 400, or would have. */
  readonly isInvalid: boolean;
}

interface Noted {
  readonly requests: { -readonly [Key in keyof ReadRequest]: ReadRequest[Key] }[];
  isInvalid: boolean;
}

/** Turns of the event loop in which all bytes in memory are read and all answers written. */
const TURNS = 5;

/** Node's own server, with the gateway's settings, over connections in memory. */
export function nodeReader(): (bytes: Buffer) => Promise<NodeReading> {
  const noted = new WeakMap<Duplex, Noted>();
  const note = ({ method = '', url = '', rawHeaders, socket }: IncomingMessage, kind: ReadRequest['kind']) => {
    const request = { method, target: url, rawHeaders, keeps: true, content: '', kind };
    noted.get(socket)?.requests.push(request);
    return request;
  };
  const settings = { requireHostHeader: false, requestTimeout: 0, insecureHTTPParser: false };
  const server = createServer(settings, (request, response) => {
    const read = note(request, 'request');
    read.keeps = response.shouldKeepAlive;
    request.on('data', (chunk: Buffer) => {
      read.content += chunk.toString('latin1');
    });
    request.on('error', () => {});
    response.end();
  });
  server.maxHeadersCount = 0;
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (request, response) => {
      note(request, 'expects');
      response.end();
    });
  for (const event of ['upgrade', 'connect'] as const)
    server.on(event, (request, socket) => {
      note(request, event);
      socket.destroy();
    });
  server.on('clientError', (_error, socket) => {
    const found = noted.get(socket);
    if (found !== undefined) found.isInvalid = true;
    socket.destroy();
  });
  return async (bytes) => {
    const [client, accepted] = duplexPair();
    const found: Noted = { requests: [], isInvalid: false };
    noted.set(accepted, found);
    for (const end of [client, accepted]) end.on('error', () => {});
    client.resume();
    server.emit('connection', accepted);
    client.write(bytes);
    for (let turns = 0; turns < TURNS; turns++) await turn();
    client.destroy();
    accepted.destroy();
    return found;
  };
}
