import { Socket, type SocketConstructorOpts } from 'node:net';

/** A connection that delivers its bytes where they were read, while it has a listener for them. */
export interface HeardSocket extends Socket {
  /**
   * Called with what was read, which is lost unless it is copied before this returns. Undefined: the connection is a stream
   * like any other.
   */
  hear: ((piece: Buffer) => void) | undefined;
}

/** Bytes that one read brings at most. */
const PIECE = 64 * 1024;

/** What Node.js keeps beside its documented members: the descriptor of a connection, which one socket has at a time. */
interface Descriptor {
  _handle: SocketConstructorOpts['handle'] | null;
}

/**
 * An accepted connection whose reads all go into one memory. Node.js offers `onread` only for sockets that connect, so the
 * descriptor of the accepted socket moves to a socket of ours. The accepted one stays as the one that the server counts, and
 * ends with ours.
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

  /** False: nothing more for now. */
  #take(piece: Buffer): boolean {
    if (this.hear === undefined) return this.push(Buffer.from(piece));
    this.hear(piece);
    return true;
  }
}

/** How accepted connections are read: into one lent memory, or as Node.js documents it, with a buffer for each read. */
export type Reads = 'lent' | 'data';

/** Makes a heard connection of an accepted one that has no reader yet. */
export type Hearing = (accepted: Socket) => HeardSocket;

export function hearingBy(reads: Reads): Hearing {
  if (reads === 'data') return heardByData;
  const memory = Buffer.allocUnsafeSlow(PIECE);
  return (accepted) => (isMovable(accepted) ? new LentSocket(accepted, memory) : heardByData(accepted));
}

/** Whether a read goes into a memory of ours. A connection that is no TCP connection has no such descriptor. */
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
