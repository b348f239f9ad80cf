import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenAt } from '../../base/listen.ts';
import { type CallbackPage, callbackHeaders, callbackHtml, foreignPage, lateAnswerPage } from './callback-page.ts';

const HOST = '127.0.0.1';
export const CALLBACK_PATH = '/callback';

/** The answer of the authorization server, as the browser brought it. */
export interface CallbackAnswer {
  readonly parameters: URLSearchParams;
  /** Answers the browser, which waits until then. */
  readonly show: (page: CallbackPage) => Promise<void>;
}

/** A server on loopback that accepts one answer (RFC 8252 §7.3). */
export interface Callback {
  readonly redirectUri: string;
  readonly answer: Promise<CallbackAnswer>;
  readonly close: () => void;
}

export interface CallbackOptions {
  /** Undefined: the system chooses a free port. */
  readonly port: number | undefined;
  readonly state: string;
  /** Called for an answer to another request. */
  readonly onForeign: () => void;
}

/** Rejects with CannotListen. */
export async function openCallback(options: CallbackOptions): Promise<Callback> {
  const { promise: answer, resolve } = Promise.withResolvers<CallbackAnswer>();
  let isTaken = false;
  const server = createServer((request, response) => {
    const asked = judge(request, server, options.state);
    if (asked.kind === 'refused') return void response.writeHead(asked.status, PLAIN).end();
    if (asked.kind === 'foreign') options.onForeign();
    if (asked.kind === 'foreign' || isTaken)
      return void show(response, asked.kind === 'foreign' ? foreignPage : lateAnswerPage);
    isTaken = true;
    resolve({ parameters: asked.parameters, show: (page) => show(response, page) });
  });
  await listenAt(server, { host: HOST, port: options.port ?? 0 }, '--port');
  return { redirectUri: `http://${hostOf(server)}${CALLBACK_PATH}`, answer, close: () => close(server) };
}

const PLAIN = { connection: 'close' } as const;

type Asked =
  | { readonly kind: 'answer'; readonly parameters: URLSearchParams }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'refused'; readonly status: 404 | 405 | 421 };

/** Another Host may be a page of a stranger, whose hostname was pointed at this machine. */
function judge({ method, url = '', headers }: IncomingMessage, server: Server, state: string): Asked {
  const [path, ...query] = url.split('?');
  if (headers.host !== hostOf(server)) return { kind: 'refused', status: 421 };
  if (path !== CALLBACK_PATH) return { kind: 'refused', status: 404 };
  if (method !== 'GET') return { kind: 'refused', status: 405 };
  const parameters = new URLSearchParams(query.join('?'));
  return onlyValue(parameters, 'state') === state ? { kind: 'answer', parameters } : { kind: 'foreign' };
}

/** A browser leaves out port 80. */
function hostOf(server: Server): string {
  const { port } = server.address() as AddressInfo;
  return port === 80 ? HOST : `${HOST}:${port}`;
}

/** RFC 6749 §3.1: a parameter that occurs twice counts as absent. */
export function onlyValue(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  return more.length === 0 ? value : undefined;
}

/** Settles when the browser has the page, or is gone. */
function show(response: ServerResponse, page: CallbackPage): Promise<void> {
  return new Promise((shown) => {
    response.once('close', shown);
    response.writeHead(page.status, callbackHeaders).end(callbackHtml(page), () => shown());
  });
}

/** Milliseconds for the last bytes of the page. A browser keeps unused connections open for longer. */
const LAST_BYTES = 500;

function close(server: Server): void {
  server.close();
  setTimeout(() => server.closeAllConnections(), LAST_BYTES).unref();
}
