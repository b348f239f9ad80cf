import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { hearingBy, type Reads } from './heard-socket.ts';

/** Milliseconds for the test. It usually takes about one. */
const PATIENCE = 1_000;

/** On Windows, a pending read occupies its memory until it ends, so connections cannot share it. */
const isReadAtOnce = process.platform !== 'win32';

/**
 * How this process can read accepted connections. The faster way depends on members that Node.js does not document. So
 * each start tries it with one connection on loopback. If Node.js has changed the members, the gateway uses the
 * documented way.
 */
export async function chooseReads(): Promise<Reads> {
  return isReadAtOnce && (await canLend()) ? 'lent' : 'data';
}

async function canLend(): Promise<boolean> {
  const server = createServer({ allowHalfOpen: true });
  const client = await firstClient(server);
  try {
    return client !== undefined && (await isEchoed(client, server));
  } catch {
    return false;
  } finally {
    client?.destroy();
    server.close();
  }
}

async function firstClient(server: Server): Promise<Socket | undefined> {
  try {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? connect(address.port, '127.0.0.1') : undefined;
  } catch {
    return undefined;
  }
}

/** Tests everything that the listener needs: a direct read, then a read as a stream, then the end of the connection. */
async function isEchoed(client: Socket, server: Server): Promise<boolean> {
  const signal = AbortSignal.timeout(PATIENCE);
  client.on('error', () => {});
  const [accepted] = (await once(server, 'connection', { signal })) as [Socket];
  const heard = hearingBy('lent')(accepted);
  heard.on('error', () => {});
  try {
    const first = new Promise<string>((resolve) => {
      heard.hear = (piece) => resolve(piece.toString('latin1'));
    });
    client.write('first');
    const isHeard = heard !== accepted && (await within(first, signal)) === 'first';
    heard.hear = undefined;
    client.end('second');
    const [second] = (await once(heard, 'data', { signal })) as [Buffer];
    heard.end('third');
    const [third] = (await once(client, 'data', { signal })) as [Buffer];
    await once(accepted, 'close', { signal });
    return isHeard && String(second) === 'second' && String(third) === 'third';
  } finally {
    heard.destroy();
  }
}

async function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([promise, late]);
}
