import { connect as connectTcp, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { addressOf } from './address-of.ts';
import { ConnectionBudgetFull, countedUntilClosed } from './connection-budget.ts';
import { type EngineOptions, TrustsNoServer, tlsOf } from './engine.ts';

class ConnectTimeout extends Error {
  readonly code = 'UND_ERR_CONNECT_TIMEOUT';
}

class NoHttp2 extends Error {
  readonly code = 'NO_HTTP2';
}

/**
 * The connection of a session. Over TLS, ALPN chooses HTTP/2 (RFC 9113 §3.2). Over TCP, HTTP/2 begins at once (§3.3).
 */
export function http2Connection(options: EngineOptions): Socket {
  const { room } = options;
  if (room === undefined) return connectInTime(options);
  if (!room.take()) return new Socket().destroy(new ConnectionBudgetFull());
  return countedUntilClosed(room, () => connectInTime(options));
}

function connectInTime(options: EngineOptions): Socket {
  const { url, connectTimeout } = options;
  const isSecure = url.protocol === 'https:';
  const socket = isSecure ? overTls(options) : connectTcp({ ...addressed(url), noDelay: true, keepAlive: true });
  const timer = setTimeout(() => socket.destroy(new ConnectTimeout('no connection in time')), connectTimeout);
  socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
  socket.once('close', () => clearTimeout(timer));
  return socket;
}

function overTls(options: EngineOptions): Socket {
  const { url, serverName, trust } = options;
  const socket = connectTls({
    ...addressed(url),
    ...tlsOf(options),
    ALPNProtocols: ['h2'],
    ...(isIP(serverName) === 0 && { servername: serverName }),
  });
  if (trust.kind === 'none') socket.destroy(new TrustsNoServer('the files of `tls` are invalid'));
  socket.setNoDelay(true).setKeepAlive(true, 60_000);
  socket.once('secureConnect', () => {
    if (socket.alpnProtocol !== 'h2') socket.destroy(new NoHttp2('the upstream does not speak HTTP/2'));
  });
  return socket;
}

function addressed(url: URL): { host: string; port: number } {
  const { hostname: host, port } = addressOf(url);
  return { host, port: Number(port) };
}
