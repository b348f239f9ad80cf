import { lookup } from 'node:dns/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { stopListening } from '../base/last-requests.ts';
import { ASKED_FOR, listenAt } from '../base/listen.ts';
import type { Address } from '../config/words/schema.ts';
import { ConnectionDispatcher, type ConnectionTarget, type Hand, type NoteRefused } from './connection-dispatcher.ts';
import type { Entrance } from './ipc-channel.ts';

export interface ListeningSockets {
  readonly url: string;
  readonly port: number;
  /** The address where proxies ask. */
  readonly decisionUrl: string | undefined;
  /** HOST:PORT where Envoy asks by gRPC. */
  readonly grpcAddress: string | undefined;
  join(hand: Hand): ConnectionTarget;
  /** Stops accepting. Resolves once no connection waits that a worker could still accept. */
  close(): Promise<void>;
}

export interface ListeningSocketsOptions {
  /** Connections open at one time. Further ones are rejected at once. */
  readonly most: () => number;
  /** Connections in each process, as far as its file descriptors allow. */
  readonly room?: number;
  /** Hears of each rejected connection. */
  readonly refused?: NoteRefused;
  /** The address where proxies ask. */
  readonly decision?: Address | undefined;
  /** The address where Envoy asks by gRPC. */
  readonly grpc?: Address | undefined;
}

/**
 * The listening sockets of a process group. They outlive every worker, so a client that connects while a worker is
 * replaced waits and is not rejected.
 */
export async function openListeningSockets(
  listen: Address,
  { most, room, refused, decision, grpc }: ListeningSocketsOptions,
): Promise<ListeningSockets> {
  const over = new ConnectionDispatcher(most, room, refused);
  const by = (entrance: Entrance) => (socket: Socket) => over.arrive({ socket, entrance });
  const servers = await listenEverywhere(listen, by('listen'));
  const also = (address: Address | undefined, entrance: Entrance, open: readonly Server[]) =>
    address === undefined ? [] : beside(open, listenEverywhere(address, by(entrance)));
  const asked = await also(decision, 'decision', servers);
  const called = await also(grpc, 'grpc', [...servers, ...asked]);
  return {
    url: urlOf(listen.host, portOf(servers[0])),
    port: portOf(servers[0]),
    decisionUrl: decision && urlOf(decision.host, portOf(asked[0])),
    grpcAddress: grpc && urlOf(grpc.host, portOf(called[0])).replace('http://', ''),
    join: (hand) => over.join(hand),
    async close() {
      await Promise.all([...servers, ...asked, ...called].map(stopListening));
      await over.close();
    },
  };
}

/** If the second listener does not open, the first is closed. */
async function beside<T>(servers: readonly Server[], opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
}

/** Listens on every address of `localhost`. The first address must be free. */
async function listenEverywhere({ host, port }: Address, arrive: (socket: Socket) => void): Promise<readonly Server[]> {
  const first = await listening({ host, port }, arrive);
  if (host !== 'localhost') return [first];
  const named = await lookup(host, { all: true });
  const others = named.slice(1).map(({ address }) => listening({ host: address, port: portOf(first) }, arrive));
  const heard = await Promise.allSettled(others);
  return [first, ...heard.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))];
}

async function listening(address: Address, arrive: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true, ...ASKED_FOR }, arrive);
  await listenAt(server, address, 'listen');
  return server;
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The URL that reaches the listener from this machine. */
function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
