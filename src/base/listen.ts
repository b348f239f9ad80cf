import { once } from 'node:events';
import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * For accepted connections. A client that vanishes (RFC 9293 §3.8.4) would keep its connection forever if an answer may take
 * any time. So the system probes the connection after a minute of silence.
 */
export const ASKED_FOR = { keepAlive: true, keepAliveInitialDelay: 60_000 } as const;

/** The address cannot be used. The message is one line for the operator. */
export class CannotListen extends Error {
  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = 'CannotListen';
  }
}

/** System error → fault of the address, and remedy. */
const reasons: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['is taken', 'stop the program that listens there, or choose another address'],
  EACCES: ['needs more permissions than this user has', 'choose a port above 1023'],
  EADDRNOTAVAIL: ['is not an address of this machine', ''],
};

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Listens, and returns the URL. `key`: the key of the address in the file. */
export async function listen(app: FastifyInstance, { host, port }: Place, key?: string): Promise<string> {
  try {
    const url = await app.listen({ host, port, listenTextResolver: (address) => `listening at ${address}` });
    surviveAccepts(app.server);
    return url;
  } catch (error) {
    throw cannotListen(error, { host, port }, key);
  }
}

/** Does the same for a server without the framework. */
export async function listenAt(server: Server, { host, port }: Place, key?: string): Promise<void> {
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error, { host, port }, key);
  }
  surviveAccepts(server);
}

/**
 * If the system has no descriptor or no memory for a connection, this connection fails alone. Without a listener for the error,
 * the process would end, and all other connections with it.
 */
function surviveAccepts(server: Server): void {
  server.on('error', () => {});
}

function cannotListen(error: unknown, { host, port }: Place, key: string | undefined): CannotListen {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const whose = key === undefined ? '' : ` (\`${key}\`)`;
  const [fault, remedy] = reasons[code] ?? ['cannot be used for listening', message];
  return new CannotListen([`${place} ${fault}${whose}`, remedy].filter(Boolean).join(': '), { cause: error });
}
