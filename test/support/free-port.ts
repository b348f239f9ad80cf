import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
    if (isClaimed(port) && (await isFree(port))) return port;
  }
  throw new Error('every port is taken');
}

const claims = join(tmpdir(), 'ports-of-tests');

/**
 * Claims the port for this process. A server such as Keycloak listens only after ten seconds, and another process must not
 * choose its port until then.
 */
function isClaimed(port: number): boolean {
  const file = join(claims, String(port));
  try {
    mkdirSync(claims, { recursive: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return true;
  }
  if (isAlive(Number(readFileSync(file, 'utf8')))) return false;
  writeFileSync(file, String(process.pid));
  return true;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((told) =>
    server.once('error', () => told(false)).listen(port, '127.0.0.1', () => told(true)),
  );
  if (listens) await new Promise((closed) => server.close(closed));
  return listens;
}
