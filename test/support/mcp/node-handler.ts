import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** A handler of web requests, for `node:http`. If the client leaves, the request is aborted. */
export function nodeHandler(handle: (request: Request) => Promise<Response>): RequestListener {
  return (incoming, outgoing) => {
    const left = new AbortController();
    outgoing.once('close', () => left.abort());
    void handle(webRequest(incoming, left.signal))
      .then((response) => send(response, outgoing))
      // The client has gone, or it sees that the answer breaks off.
      .catch(() => outgoing.destroy());
  };
}

function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const } : {};
  return new Request(new URL(url, 'http://localhost'), { method, headers: pairs, signal, ...body });
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
}
