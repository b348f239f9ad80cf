import { createServer } from 'node:net';

/**
 * Ports below the range that Linux uses for connections and for `listen(0)`. Another program could take a port in that
 * range before its server starts. While the server is down, a connection to such a port could even connect to itself.
 */
const FIRST = 12_000;
const COUNT = 20_000;
/** Files run at the same time. Each begins its search elsewhere, and never returns the same port twice. */
let next = (process.pid * 37) % COUNT;

/** A port of 127.0.0.1 at which nothing listens now. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < COUNT; tried++) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
  throw new Error('every port is taken');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((told) =>
    server.once('error', () => told(false)).listen(port, '127.0.0.1', () => told(true)),
  );
  if (listens) await new Promise((closed) => server.close(closed));
  return listens;
}
