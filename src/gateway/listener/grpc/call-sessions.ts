import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { plainAddress } from '../../../base/client-address.ts';
import type { Loan } from '../../client/entity-budget.ts';
import type { ClientSession } from '../http2/client-session.ts';
import { openSession, type SessionOptions } from '../http2/open-session.ts';
import { UnfinishedCalls } from './unfinished-calls.ts';

export interface CallSessionsOptions extends Omit<SessionOptions, 'broken'> {
  readonly isTrusted: (address: string) => boolean;
  /** A loan for the message of one call from this address. */
  readonly memory: (address: string) => Loan;
}

interface Caller {
  readonly watched: ClientSession;
  readonly isTrusted: boolean;
}

/** What reads the calls. */
export interface CallReader {
  session(session: ServerHttp2Session): void;
  stream(...stream: StreamEvent): void;
}

type StreamEvent = [stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]];

/** The largest stream id: the end comes, and no call is refused yet (RFC 9113 §6.8). */
const ANY_STREAM = 2 ** 31 - 1;

/**
 * The connections of callers. Before the library reads a call, this sets the limits that it does not have: calls of a
 * connection, time, memory, and resets.
 */
export class CallSessions {
  readonly #options: CallSessionsOptions;
  readonly #reader: CallReader;
  readonly #open = new Map<ServerHttp2Session, Caller>();

  constructor(options: CallSessionsOptions, reader: CallReader) {
    this.#options = options;
    this.#reader = reader;
  }

  take(socket: Socket): void {
    if (socket.destroyed) return;
    const { isTrusted, limits, clock, stalls } = this.#options;
    const address = plainAddress(socket.remoteAddress);
    const caller = { last: socket instanceof TLSSocket ? undefined : ANY_STREAM, isProxy: isTrusted(address) };
    const { session, watched } = openSession(socket, { ...this.#options, broken: () => {} }, caller);
    const unfinished = new UnfinishedCalls({
      patience: () => limits().headers_timeout,
      now: () => clock.monotonic(),
      answered: watched.ending,
    });
    stalls.watch(unfinished);
    this.#open.set(session, { watched, isTrusted: caller.isProxy });
    socket.once('close', () => {
      stalls.forget(unfinished);
      this.#open.delete(session);
    });
    this.#reader.session(session);
    session.on('stream', (...arrived: StreamEvent) => {
      const [stream] = arrived;
      watched.began(stream);
      unfinished.began(stream);
      this.#read(address, arrived);
    });
  }

  /** Settles once the trusted callers have read the notice of the end, so that the end refuses none of their calls. */
  async noticed(): Promise<void> {
    const trusted = [...this.#open.values()].filter(({ isTrusted }) => isTrusted);
    await Promise.all(trusted.map(({ watched }) => watched.untilNoticed()));
  }

  /** These connections take no more calls, and end once their calls have answers. */
  end(): void {
    for (const session of this.#open.keys()) session.close();
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
