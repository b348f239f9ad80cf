import type { Server as HttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { ASKED_FOR } from '../../../base/listen.ts';
import type { LimitsConfig } from '../../../config/schema/gateway.ts';
import type { Listen } from '../../../config/schema/listener.ts';
import { HandshakeTracker } from '../handshake-tracker.ts';
import { roomForClients } from '../server.ts';
import { guardHandshakes, tlsOptions, tlsRenewal } from '../tls.ts';
import { buildGrpcServer, type GrpcParts, type GrpcServer } from './grpc-server.ts';

/** The listener where Envoy asks by gRPC. It does not listen yet, because in a worker the connections come from elsewhere. */
export interface GrpcListener {
  readonly server: Server;
  applyLimits(limits: LimitsConfig): void;
  /** Reads the certificate again. */
  renew(): void;
  /** Resolves when the last call has its answer. */
  close(): Promise<void>;
}

export interface GrpcListenerOptions extends GrpcParts {
  readonly address: Listen;
  readonly directory: string;
  readonly log: Logger;
}

export function openGrpcListener(options: GrpcListenerOptions): GrpcListener {
  const grpc = buildGrpcServer(options);
  const { server, renew } = acceptor(options, grpc);
  const applyLimits = ({ connections }: LimitsConfig) => {
    server.maxConnections = Math.min(connections, roomForClients());
  };
  applyLimits(options.callers.limits());
  return { server, applyLimits, renew, close: () => grpc.close() };
}

function acceptor({ address, directory, log }: GrpcListenerOptions, grpc: GrpcServer) {
  const { tls } = address;
  const taken = (socket: Socket) => grpc.take(socket.on('error', () => socket.destroy()));
  if (tls === undefined) return { server: createServer({ noDelay: true, ...ASKED_FOR }, taken), renew: () => {} };
  const options = { ...tlsOptions({ ...address, tls }, directory), ALPNProtocols: ['h2'], ...ASKED_FOR };
  // Only what every TLS server has is used here.
  const server = createTlsServer(options, taken) as unknown as HttpsServer;
  guardHandshakes(server, tls);
  const shaking = new HandshakeTracker();
  shaking.watch(server);
  const authorityGone = () => {
    shaking.end();
    grpc.endSessions();
  };
  return { server, renew: tlsRenewal(server, { tls, directory, log, authorityGone }) };
}
