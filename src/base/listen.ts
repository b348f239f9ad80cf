import { once } from 'node:events';
import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * For the connections that a listener accepts. A client that vanishes without a word (RFC 9293 §3.8.4) would hold its own
 * for good where an answer may take any time: the system asks for it after a minute of silence.
 */
export const ASKED_FOR = { keepAlive: true, keepAliveInitialDelay: 60_000 } as const;

/** The address cannot be had; the message is one line for the operator. */
export class CannotListen extends Error {
  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = 'CannotListen';
  }
}

/** What is wrong with an address, and what to do. */
const reasons: Readonly<Record<string, readonly [string, string]>> = {
  EADDRINUSE: ['is taken', 'stop the program that listens there, or choose another address'],
  EACCES: ['needs more permissions than this user has', 'choose a port above 1023'],
  EADDRNOTAVAIL: ['is not an address of this machine', ''],
};

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Answers with the URL at which it listens. `key`: of the file, which says the address. */
export async function listen(app: FastifyInstance, { host, port }: Place, key?: string): Promise<string> {
  try {
    return await app.listen({ host, port, listenTextResolver: (address) => `listening at ${address}` });
  } catch (error) {
    throw cannotListen(error, { host, port }, key);
  }
}

/** The same for a server that is no framework's. */
export async function listenAt(server: Server, { host, port }: Place, key?: string): Promise<void> {
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error, { host, port }, key);
  }
}

function cannotListen(error: unknown, { host, port }: Place, key: string | undefined): CannotListen {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const whose = key === undefined ? '' : ` (\`${key}\`)`;
  const [fault, remedy] = reasons[code] ?? ['cannot be used for listening', message];
  return new CannotListen([`${place} ${fault}${whose}`, remedy].filter(Boolean).join(': '), { cause: error });
}
