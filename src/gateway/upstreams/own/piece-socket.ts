import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** The most bytes of one read. */
const PIECE = 64 * 1024;
/** Milliseconds of silence before the kernel probes the other side, like undici. */
const PROBE_AFTER = 60_000;

/** A connection that passes its received bytes directly to a listener. */
export interface Heard {
  /**
   * Gets the received bytes, and must copy what it keeps before it returns. Undefined: the connection is an ordinary
   * stream.
   */
  hear: ((piece: Buffer) => void) | undefined;
}

export function isHeard(socket: Socket): socket is Socket & Heard {
  return 'hear' in socket;
}

/**
 * A socket without TLS. All connections read into the same memory. A separate buffer and stream for each piece would
 * cost more than the rest of a small answer.
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

  /** False: the socket stops reading for now. */
  #take(piece: Buffer): boolean {
    if (this.hear === undefined) return this.push(Buffer.from(piece));
    this.hear(piece);
    return true;
  }
}

/** On Windows, a pending read occupies its memory until it ends. There, each connection has its own memory. */
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
    // This listener stays, because an unhandled error would end the process.
    socket.on('error', (error) => tell(error, null));
    return socket.connect({ host: hostname, port: Number(port) }, () => tell(null, socket));
  };
}
