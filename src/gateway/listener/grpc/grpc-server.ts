import type { ServerHttp2Session } from 'node:http2';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { handleUnaryCall, Server, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import { plainAddress } from '../../../base/client-address.ts';
import type { NotReady } from '../../../base/health.ts';
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
}

/** Reads gRPC on connections that others accept. */
export interface GrpcServer {
  /** Takes over a connection. With TLS, it is the decrypted one. */
  take(socket: Socket): void;
  /** Asks all callers to open another connection for their next call. Calls that are on the way are still answered. */
  announceEnd(): void;
  /** Accepts no more calls. Resolves when the last call has its answer. */
  close(): Promise<void>;
}

/** Bytes of a call: a header section, and a body that Envoy buffers. */
const LONGEST = 4 * 1024 * 1024;

const require = createRequire(import.meta.url);

/** Loads the library, which a gateway without this listener does not need. */
export function buildGrpcServer({ check, notReady }: GrpcParts): GrpcServer {
  const grpc = require('@grpc/grpc-js') as typeof import('@grpc/grpc-js');
  const { fromJSON } = require('@grpc/proto-loader') as typeof import('@grpc/proto-loader');
  const server = new grpc.Server({ 'grpc.max_receive_message_length': LONGEST, 'grpc.enable_channelz': 0 });
  const definitions = fromJSON(descriptor as unknown as Parameters<typeof fromJSON>[0], { bytes: Buffer });
  server.addService(definitions[AUTHORIZATION] as ServiceDefinition, { Check: authorizing(check) });
  server.addService(definitions[HEALTH] as ServiceDefinition, { Check: health(notReady, grpc.status.NOT_FOUND) });
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  return {
    take: (socket) => injector.injectConnection(socket),
    announceEnd: () => announceEnd(server),
    close: () => shutDown(server),
  };
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

/** The largest stream id: the end comes, and no call is refused yet (RFC 9113 §6.8). */
const ANY_STREAM = 2 ** 31 - 1;

/** The library would refuse calls that cross its GOAWAY. It has no method for the notice, so this reads its sessions. */
function announceEnd(server: Server): void {
  const sessions: unknown = Reflect.get(server, 'sessions');
  if (!(sessions instanceof Map)) return;
  for (const session of sessions.keys() as Iterable<ServerHttp2Session>) session.goaway(0, ANY_STREAM);
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => server.tryShutdown(() => resolve()));
}
