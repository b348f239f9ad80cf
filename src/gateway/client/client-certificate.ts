import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../message/request-head.ts';
import type { ClientConnection } from './client-message.ts';

const known = new WeakMap<TLSSocket, ClientCertificate | undefined>();

/** The accepted client certificate of a connection. For a stream, it is the certificate of the stream's connection. */
export function certificateOf(carrier: ClientConnection): ClientCertificate | undefined {
  return isProved(carrier) ? remembered(carrier) : carrier.certificate;
}

function isProved(carrier: ClientConnection): carrier is ClientConnection & TLSSocket {
  return 'authorized' in carrier && carrier.authorized === true;
}

/** A connection has one certificate, so it is read once. */
function remembered(socket: TLSSocket): ClientCertificate | undefined {
  if (!known.has(socket)) known.set(socket, read(socket));
  return known.get(socket);
}

/** RFC 9440 §2.1: a byte sequence of RFC 8941 §3.3.5. */
function read(socket: TLSSocket): ClientCertificate | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const { raw, subject } = certificate;
  return { field: `:${raw.toString('base64')}:`, subject: subject.replaceAll('\n', ', ') };
}
