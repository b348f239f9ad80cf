import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { UpstreamConfig } from '../../config/schema/upstream.ts';
import { addressOf } from './address-of.ts';
import { connector } from './connector.ts';
import type { EngineOptions, UpstreamTrust } from './engine.ts';
import { http2Connection } from './http2-connect.ts';
import { serverNameOf } from './open-upstream.ts';

/**
 * Opens one connection to a URL, as a request would, and sends nothing. Rejects with the error that requests would
 * meet.
 */
export function connectOnce(url: URL, config: UpstreamConfig, trust: UpstreamTrust): Promise<Socket> {
  const serverName = serverNameOf(url, config);
  const options = { url, serverName, trust, connectTimeout: config.timeout.connect, connections: 1, keepAlive: false };
  return config.http2 ? overHttp2(options) : overHttp1(options);
}

function overHttp1(options: EngineOptions): Promise<Socket> {
  const to = { ...addressOf(options.url) };
  return new Promise((resolve, reject) => {
    connector(options)(to, (error, socket) => (error === null ? resolve(socket) : reject(error)));
  });
}

function overHttp2(options: EngineOptions): Promise<Socket> {
  const socket = http2Connection(options);
  return new Promise((resolve, reject) => {
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}
