import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to connections and to `listen(0)`: one of those may be taken by anybody between here
 * and the start of its server, and while that is down a connection to it may even meet itself.
 */
const FIRST = 12_000;
const COUNT = 20_000;
/** Files run side by side: each begins to look elsewhere, and never gives the same port twice. */
let next = (process.pid * 37) % COUNT;

/** A port of 127.0.0.1 at which nothing listens at the moment. */
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
