import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export interface SlowRelay {
  readonly url: string;
  /** The relay takes nothing more from the server, so its answers fill the buffers in between. */
  pause(): void;
  resume(): void;
}

/** A connection to a server that a test can make slow. No byte is lost. */
export async function slowRelay(t: Test, target: string): Promise<SlowRelay> {
  const upstreams = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(target).port), '127.0.0.1');
    upstreams.add(upstream);
    upstream.once('close', () => upstreams.delete(upstream));
    client.pipe(upstream).on('error', () => client.destroy());
    upstream.on('data', (chunk) => client.write(chunk));
    upstream.on('end', () => client.end());
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.teardown(() => {
    server.close();
    each(upstreams, (socket) => socket.destroy());
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pause: () => each(upstreams, (socket) => socket.pause()),
    resume: () => each(upstreams, (socket) => socket.resume()),
  };
}

function each(sockets: ReadonlySet<Socket>, act: (socket: Socket) => void): void {
  for (const socket of sockets) act(socket);
}
