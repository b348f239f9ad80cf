import { once } from 'node:events';
import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The address cannot be had; the message is one line for the operator. */
export class CannotListen extends Error {
  constructor(message: string, options: { cause: unknown }) {
    super(message, options);
    this.name = 'CannotListen';
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken: stop what listens there, or choose another address',
  EACCES: 'may not be opened by this user: choose a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine',
};

/** Answers with the URL at which it listens. */
export async function listen(app: FastifyInstance, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    return await app.listen({ host, port, listenTextResolver: (address) => `listening at ${address}` });
  } catch (error) {
    throw cannotListen(error, { host, port });
  }
}

/** The same for a server that is no framework's. */
export async function listenAt(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  server.listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw cannotListen(error, { host, port });
  }
}

function cannotListen(error: unknown, { host, port }: { host: string; port: number }): CannotListen {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new CannotListen(`${place} ${reasons[code] ?? `cannot be listened at: ${message}`}`, { cause: error });
}
