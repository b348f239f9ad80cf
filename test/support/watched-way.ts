import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A connection to a server that shows what the server sent, and that can hold what a client sends. */
export interface WatchedWay {
  readonly port: number;
  /** Everything that the server has sent, as latin1. */
  sent(): string;
  /** From now on, a connection with this request carries nothing more to the server, and not this request either. */
  holdWhere(isHeld: (asked: string) => boolean): void;
  /** Connections that are held. */
  held(): number;
}

/** `heard` gets what clients send, held or not. */
export async function watchedWay(t: Test, to: number, heard: (asked: string) => void = () => {}): Promise<WatchedWay> {
  const sockets = new Set<Socket>();
  const held = new Set<Socket>();
  const sent: string[] = [];
  let isHeld = (_asked: string) => false;
  const server = createServer((client) => {
    const onward = connect({ port: to, host: '127.0.0.1', noDelay: true });
    client.on('data', (chunk: Buffer) => {
      const asked = chunk.toString('latin1');
      heard(asked);
      if (isHeld(asked)) held.add(client);
      if (!held.has(client)) onward.write(chunk);
    });
    onward.on('data', (chunk: Buffer) => {
      sent.push(chunk.toString('latin1'));
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => sent.join(''),
    holdWhere(next) {
      isHeld = next;
    },
    held: () => held.size,
  };
}
