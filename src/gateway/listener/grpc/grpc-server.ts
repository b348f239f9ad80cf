import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { handleUnaryCall, Server, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import { plainAddress } from '../../../base/client-address.ts';
import type { NotReady } from '../../../base/health.ts';
import { type CallReader, CallSessions, type CallSessionsOptions } from './call-sessions.ts';
import type { CheckCall } from './check.ts';
import { CallConnection } from './checked-message.ts';
import {
  AUTHORIZATION,
  type CheckRequest,
  type CheckResponse,
  descriptor,
  HEALTH,
  NOT_SERVING,
  SERVING,
} from './messages.ts';

export interface GrpcParts {
  readonly check: CheckCall;
  readonly notReady: () => NotReady | undefined;
  readonly callers: CallSessionsOptions;
}

/** Reads gRPC on connections that others accept. */
export interface GrpcServer {
  /** Takes over a connection. With TLS, it is the decrypted one. */
  take(socket: Socket): void;
  /** The open connections take no more calls. */
  endSessions(): void;
  /** Accepts no more calls. Resolves when the last call has its answer. */
  close(): Promise<void>;
}

/** Bytes of a call: a header section, and a body that Envoy buffers. */
const LONGEST = 4 * 1024 * 1024;

const require = createRequire(import.meta.url);

/** Loads the library, which a gateway without this listener does not need. */
export function buildGrpcServer({ check, notReady, callers }: GrpcParts): GrpcServer {
  const grpc = require('@grpc/grpc-js') as typeof import('@grpc/grpc-js');
  const { fromJSON } = require('@grpc/proto-loader') as typeof import('@grpc/proto-loader');
  const server = new grpc.Server({ 'grpc.max_receive_message_length': LONGEST, 'grpc.enable_channelz': 0 });
  const definitions = fromJSON(descriptor as unknown as Parameters<typeof fromJSON>[0], { bytes: Buffer });
  server.addService(definitions[AUTHORIZATION] as ServiceDefinition, { Check: authorizing(check) });
  server.addService(definitions[HEALTH] as ServiceDefinition, { Check: health(notReady, grpc.status.NOT_FOUND) });
  server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const sessions = new CallSessions(callers, readerOf(server));
  return {
    take: (socket) => sessions.take(socket),
    endSessions: () => sessions.end(),
    close: async () => {
      await shutDown(server);
      // The library does not wait for connections whose end has begun before.
      await sessions.ended();
    },
  };
}

/**
 * The library reads streams of its own HTTP/2 server, which it does not show. It has no settings for most limits, so the
 * gateway makes the sessions, and gives them to that server.
 */
function readerOf(server: Server): CallReader {
  const servers: unknown = Reflect.get(server, 'http2Servers');
  const own: unknown = servers instanceof Map ? servers.keys().next().value : undefined;
  if (!(own instanceof EventEmitter)) throw new Error('the gRPC library has no HTTP/2 server');
  return { session: (session) => own.emit('session', session), stream: (...stream) => own.emit('stream', ...stream) };
}

function authorizing(check: CheckCall): handleUnaryCall<CheckRequest, CheckResponse> {
  return (call, answer) => {
    const connection = new CallConnection(callerOf(call));
    call.on('cancelled', () => connection.destroy());
    check(call.request, connection, (told) => {
      answer(null, told);
      connection.destroy();
    });
  };
}

/** `getPeer` is `ADDRESS:PORT`. An IPv6 address has no brackets there. */
function callerOf(call: ServerUnaryCall<unknown, unknown>): string {
  const peer = call.getPeer();
  return plainAddress(peer.slice(0, peer.lastIndexOf(':')));
}

interface HealthRequest {
  readonly service?: string;
}

/** grpc.health.v1: the empty name stands for the whole server. */
function health(
  notReady: GrpcParts['notReady'],
  unknown: number,
): handleUnaryCall<HealthRequest, { readonly status: number }> {
  return ({ request: { service = '' } }, answer) => {
    if (service === '' || service === AUTHORIZATION)
      answer(null, { status: notReady() === undefined ? SERVING : NOT_SERVING });
    else answer({ code: unknown, details: `there is no service ${service}` });
  };
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => server.tryShutdown(() => resolve()));
}
