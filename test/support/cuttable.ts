import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

/** A connection to a server that a test can cut, or stall without a byte passing. */
export interface Cuttable {
  readonly url: string;
  /** Connections break, and new connections fail. */
  cut(): void;
  /** Connections stay open, and carry no more data. */
  freeze(): void;
  mend(): void;
}

export async function cuttable(t: Test, target: string): Promise<Cuttable> {
  const { port: to } = new URL(target);
  const sockets = new Set<Socket>();
  let state: 'cut' | 'frozen' | 'whole' = 'whole';
  const server = createServer((client) => {
    if (state === 'cut') {
      client.destroy();
      return;
    }
    const upstream = connect(Number(to), '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('data', (chunk) => state !== 'frozen' && other.write(chunk));
      one.on('end', () => other.end());
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    cut();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = 'cut';
      cut();
    },
    freeze() {
      state = 'frozen';
    },
    mend() {
      if (state === 'frozen') cut();
      state = 'whole';
    },
  };
}
