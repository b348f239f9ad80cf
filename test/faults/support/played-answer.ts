import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The upstream has finished writing. */
export const FIN = Symbol('FIN');
/** The upstream breaks the connection. */
export const RST = Symbol('RST');

/** Bytes as latin1, milliseconds of silence, or an end. */
export type Piece = string | number | typeof FIN | typeof RST;

/** Sends the pieces one after the other, each string in one write, until they or the connection end. */
export async function play(socket: Socket, pieces: Iterable<Piece>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || socket.writableEnded) return;
    if (typeof piece === 'string') await written(socket, piece);
    else if (typeof piece === 'number') await pause(piece);
    else if (piece === FIN) socket.end();
    else socket.resetAndDestroy();
  }
}

/** The same bytes, each in a separate packet. */
export function* byteByByte(pieces: Iterable<Piece>): Generator<Piece> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield* piece;
    else yield piece;
  }
}

function written(socket: Socket, bytes: string): Promise<void> {
  return new Promise((done) => {
    socket.once('close', done);
    socket.write(bytes, 'latin1', () => {
      socket.off('close', done);
      done();
    });
  });
}
