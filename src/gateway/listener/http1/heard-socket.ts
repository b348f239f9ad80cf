import { Socket, type SocketConstructorOpts } from 'node:net';

/** A connection that passes its received bytes directly to a listener. */
export interface HeardSocket extends Socket {
  /**
   * Gets the received bytes, and must copy what it keeps before it returns. Undefined: the connection is an ordinary
   * stream.
   */
  hear: ((piece: Buffer) => void) | undefined;
}

/** The most bytes of one read. */
const PIECE = 64 * 1024;

/** An undocumented member of Node's sockets: the descriptor of a connection. Only one socket has it at a time. */
interface Descriptor {
  _handle: SocketConstructorOpts['handle'] | null;
}

/**
 * An accepted connection whose reads all use the same memory. Node.js offers `onread` only for sockets that connect, so
 * the descriptor of the accepted socket moves to a socket of ours. The server counts the accepted socket, which stays
 * and ends with ours.
 */
class LentSocket extends Socket implements HeardSocket {
  hear: HeardSocket['hear'];

  constructor(accepted: Socket, memory: Buffer) {
    const from = accepted as unknown as Descriptor;
    const handle = from._handle ?? undefined;
    from._handle = null;
    super({
      handle,
      // As in Node's HTTP server: waiting bytes still go out after the client has ended its side.
      allowHalfOpen: true,
      onread: { buffer: memory, callback: (length: number) => this.#take(memory.subarray(0, length)) },
    });
    this.once('close', () => accepted.destroy());
  }

  /** False: the socket stops reading for now. */
  #take(piece: Buffer): boolean {
    if (this.hear === undefined) return this.push(Buffer.from(piece));
    this.hear(piece);
    return true;
  }
}

/**
 * How accepted connections are read. `lent`: into shared memory. `data`: as Node.js documents it, with a buffer for
 * each read.
 */
export type Reads = 'lent' | 'data';

/** Turns an accepted connection without a reader into a heard connection. */
export type Hearing = (accepted: Socket) => HeardSocket;

export function hearingBy(reads: Reads): Hearing {
  if (reads === 'data') return heardByData;
  const memory = Buffer.allocUnsafeSlow(PIECE);
  return (accepted) => (isMovable(accepted) ? new LentSocket(accepted, memory) : heardByData(accepted));
}

/** Whether our memory can receive the reads. Only a TCP connection has such a descriptor. */
function isMovable(accepted: Socket): boolean {
  const { _handle } = accepted as Partial<Descriptor>;
  return typeof (_handle as { useUserBuffer?: unknown } | undefined)?.useUserBuffer === 'function';
}

function heardByData(accepted: Socket): HeardSocket {
  accepted.allowHalfOpen = true;
  let listener: HeardSocket['hear'];
  return Object.defineProperty(accepted, 'hear', {
    get: () => listener,
    set(next: HeardSocket['hear']) {
      if (listener !== undefined) accepted.off('data', listener);
      listener = next;
      if (next !== undefined) accepted.on('data', next);
    },
  }) as HeardSocket;
}
