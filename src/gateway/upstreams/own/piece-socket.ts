import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** Bytes that one read brings at most. */
const PIECE = 64 * 1024;
/** Milliseconds of silence after which the kernel asks whether the other side is still there; as undici has it. */
const PROBE_AFTER = 60_000;

/** A connection that delivers its bytes in the buffer of the read, while it has a listener. */
export interface Heard {
  /** What is not copied before it returns is lost. Undefined: the connection is a stream as any other. */
  hear: ((piece: Buffer) => void) | undefined;
}

export function isHeard(socket: Socket): socket is Socket & Heard {
  return 'hear' in socket;
}

/**
 * Without TLS. The memory is read into again, for whichever connection is next: a buffer for each piece, and a stream to
 * hold it, cost more than the rest of a small answer.
 */
export class PieceSocket extends Socket implements Heard {
  hear: Heard['hear'];

  constructor(memory: Buffer) {
    super({
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_AFTER,
      onread: { buffer: memory, callback: (length) => this.#take(memory.subarray(0, length)) },
    });
  }

  /** False: nothing more for now. */
  #take(piece: Buffer): boolean {
    if (this.hear === undefined) return this.push(Buffer.from(piece));
    this.hear(piece);
    return true;
  }
}

/** Where a read under way has its memory until it ends, that memory is each connection's own. */
const isReadAtOnce = process.platform !== 'win32';

/** Opens connections without TLS. */
export function pieceConnector(): buildConnector.connector {
  const shared = isReadAtOnce ? Buffer.allocUnsafeSlow(PIECE) : undefined;
  return ({ hostname, port }, callback) => {
    const socket = new PieceSocket(shared ?? Buffer.allocUnsafeSlow(PIECE));
    let told = false;
    const tell = (...outcome: Parameters<typeof callback>) => {
      if (!told) callback(...outcome);
      told = true;
    };
    // For its whole life: an unhandled error would end the process.
    socket.on('error', (error) => tell(error, null));
    return socket.connect({ host: hostname, port: Number(port) }, () => tell(null, socket));
  };
}
