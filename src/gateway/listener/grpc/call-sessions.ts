import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { plainAddress } from '../../../base/client-address.ts';
import type { Loan } from '../../client/entity-budget.ts';
import { openSession, type SessionOptions } from '../http2/open-session.ts';
import { UnfinishedCalls } from './unfinished-calls.ts';

export interface CallSessionsOptions extends Omit<SessionOptions, 'broken'> {
  readonly isTrusted: (address: string) => boolean;
  /** A loan for the message of one call from this address. */
  readonly memory: (address: string) => Loan;
}

/** What reads the calls. */
export interface CallReader {
  session(session: ServerHttp2Session): void;
  stream(...stream: StreamEvent): void;
}

type StreamEvent = [stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]];

/**
 * The connections of callers. Before the library reads a call, this sets the limits that it does not have: calls of a
 * connection, time, memory, and resets.
 */
export class CallSessions {
  readonly #options: CallSessionsOptions;
  readonly #reader: CallReader;
  /** Each with the end of its socket. */
  readonly #open = new Map<ServerHttp2Session, Promise<void>>();

  constructor(options: CallSessionsOptions, reader: CallReader) {
    this.#options = options;
    this.#reader = reader;
  }

  take(socket: Socket): void {
    if (socket.destroyed) return;
    const { isTrusted, limits, clock, stalls } = this.#options;
    const address = plainAddress(socket.remoteAddress);
    const caller = { isProxy: isTrusted(address) };
    const { session, watched } = openSession(socket, { ...this.#options, broken: () => {} }, caller);
    const unfinished = new UnfinishedCalls({
      patience: () => limits().headers_timeout,
      now: () => clock.monotonic(),
      answered: watched.ending,
    });
    stalls.watch(unfinished);
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    this.#open.set(session, gone);
    socket.once('close', () => {
      stalls.forget(unfinished);
      this.#open.delete(session);
      resolve();
    });
    this.#reader.session(session);
    session.on('stream', (...arrived: StreamEvent) => {
      const [stream] = arrived;
      watched.began(stream);
      unfinished.began(stream);
      this.#read(address, arrived);
    });
  }

  /** These connections take no more calls, and end once their calls have answers. */
  end(): void {
    for (const session of this.#open.keys()) session.close();
  }

  /** Settles when the last connection has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  #read(address: string, arrived: StreamEvent): void {
    const [stream, headers] = arrived;
    if (isPlain(headers)) {
      this.#reader.stream(...arrived);
      limitMemory(stream, this.#options.memory(address));
      return;
    }
    stream.on('error', () => {});
    stream.respond(COMPRESSED, { endStream: true });
  }
}

/** Envoy compresses no message. A small compressed message can need all memory of a call. */
function isPlain({ 'grpc-encoding': encoding }: IncomingHttpHeaders): boolean {
  return encoding === undefined || encoding === 'identity';
}

/** The status UNIMPLEMENTED, and what is accepted, as gRPC asks for. */
const COMPRESSED = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': '12',
  'grpc-message': 'messages must not be compressed',
  'grpc-accept-encoding': 'identity',
};

function limitMemory(stream: ServerHttp2Stream, loan: Loan): void {
  stream.on('data', (chunk: Buffer) => {
    if (!loan.take(chunk.length)) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
  stream.once('close', () => loan.end());
}
