import type { Server as HttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { ASKED_FOR } from '../../../base/listen.ts';
import type { LimitsConfig } from '../../../config/schema/gateway.ts';
import type { Listen } from '../../../config/schema/listener.ts';
import { roomForClients } from '../server.ts';
import { guardHandshakes, tlsOptions, tlsRenewal } from '../tls.ts';
import { buildGrpcServer, type GrpcParts, type GrpcServer } from './grpc-server.ts';

/** The listener where Envoy asks by gRPC. It does not listen yet, because in a worker the connections come from elsewhere. */
export interface GrpcListener {
  readonly server: Server;
  applyLimits(limits: LimitsConfig): void;
  /** Reads the certificate again. */
  renew(): void;
  announceEnd(): void;
  /** Resolves when the last call has its answer. */
  close(): Promise<void>;
}

export interface GrpcListenerOptions extends GrpcParts {
  readonly address: Listen;
  readonly limits: LimitsConfig;
  readonly directory: string;
  readonly log: Logger;
}

export function openGrpcListener(options: GrpcListenerOptions): GrpcListener {
  const grpc = buildGrpcServer(options);
  const state = { silence: options.limits.headers_timeout };
  const { server, renew } = acceptor(options, (socket) => take(grpc, socket, state.silence));
  const applyLimits = ({ connections, headers_timeout }: LimitsConfig) => {
    server.maxConnections = Math.min(connections, roomForClients());
    state.silence = headers_timeout;
  };
  applyLimits(options.limits);
  return { server, applyLimits, renew, announceEnd: () => grpc.announceEnd(), close: () => grpc.close() };
}

function acceptor({ address, directory, log }: GrpcListenerOptions, taken: (socket: Socket) => void) {
  const { tls } = address;
  if (tls === undefined) return { server: createServer({ noDelay: true, ...ASKED_FOR }, taken), renew: () => {} };
  const options = { ...tlsOptions({ ...address, tls }, directory), ALPNProtocols: ['h2'], ...ASKED_FOR };
  // Only what every TLS server has is used here.
  const server = createTlsServer(options, taken) as unknown as HttpsServer;
  guardHandshakes(server, tls);
  return { server, renew: tlsRenewal(server, { tls, directory, log, authorityGone: () => {} }) };
}

/** HTTP/2 has no time limit for its first bytes. So a connection without any bytes ends here. */
function take(grpc: GrpcServer, socket: Socket, silence: number): void {
  socket.on('error', () => socket.destroy());
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, silence);
  socket.once('close', () => clearTimeout(timer));
  grpc.take(socket);
}
