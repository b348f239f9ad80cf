import { lookup } from 'node:dns/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listenAt } from '../base/listen.ts';
import type { Address } from '../config/schema.ts';
import type { Entrance } from './line.ts';

/** Whoever takes connections. */
export interface Place {
  /** The last one that was handed over has arrived: there is room for the next. */
  took(): void;
  /** So many are over. */
  closed(count: number): void;
  leave(): void;
}

/** `failed`: it did not get there. */
export type Hand = (socket: Socket, failed: () => void, entrance: Entrance) => void;

export interface Door {
  readonly url: string;
  readonly port: number;
  /** Where proxies ask. */
  readonly decisionUrl: string | undefined;
  join(hand: Hand): Place;
  /** Takes no more; resolves once nobody waits who can still be brought to a worker. */
  close(): Promise<void>;
}

interface Taker {
  readonly hand: Hand;
  open: number;
  /** On its way: a worker has one at a time. */
  sent: Socket | undefined;
  sentAt: number;
}

/** Milliseconds for those who wait while the door closes. */
const LAST_CALL = 1_000;
/** Milliseconds: whoever has not taken a connection after that hangs, and the next one goes to another. */
const LATE = 100;

/**
 * The one listening socket of a process group: it outlives every worker, so whoever comes while one is replaced waits and
 * is not refused. Each connection goes to the worker with the fewest.
 * @param most connections open at one time; whoever comes then is refused at once
 * @param decision where proxies ask
 */
export async function openDoor({ host, port }: Address, most: () => number, decision?: Address): Promise<Door> {
  const takers = new Set<Taker>();
  const waiting: Socket[] = [];
  const asking = new WeakSet<Socket>();
  let again: NodeJS.Timeout | undefined;

  const count = () => [...takers].reduce((sum, { open }) => sum + open, waiting.length);
  const pass = () => {
    clearTimeout(again);
    for (let taker = fewest(takers); waiting.length > 0 && taker !== undefined; taker = fewest(takers)) {
      if (taker.sent !== undefined) {
        again = setTimeout(pass, LATE);
        return;
      }
      const socket = waiting.shift();
      if (socket !== undefined && !socket.destroyed) bring(socket, taker);
    }
  };
  const bring = (socket: Socket, taker: Taker) => {
    Object.assign(taker, { sent: socket, sentAt: performance.now(), open: taker.open + 1 });
    const failed = () => {
      if (taker.sent !== socket) return;
      Object.assign(taker, { sent: undefined, open: taker.open - 1 });
      takers.delete(taker);
      waiting.unshift(socket);
      pass();
    };
    taker.hand(socket, failed, asking.has(socket) ? 'decision' : 'listen');
  };
  /** The worker has a descriptor of its own by now, or is no more. */
  const letGo = (taker: Taker) => {
    taker.sent?.destroy();
    taker.sent = undefined;
  };
  const arrive = (socket: Socket) => {
    if (count() >= most()) return void socket.destroy();
    socket.on('error', () => socket.destroy());
    waiting.push(socket);
    pass();
  };
  const servers = [...(await listenEverywhere({ host, port }, arrive))];
  const bound = portOf(servers[0]);
  const ask = (socket: Socket) => {
    asking.add(socket);
    arrive(socket);
  };
  const open = async (address: Address): Promise<string> => {
    const own = await listenEverywhere(address, ask).catch((error: unknown) => {
      for (const server of servers) server.close();
      throw error;
    });
    servers.push(...own);
    return urlOf(address.host, portOf(own[0]));
  };
  const decisionUrl = decision && (await open(decision));
  return {
    url: urlOf(host, bound),
    port: bound,
    decisionUrl,
    join(hand) {
      const taker: Taker = { hand, open: 0, sent: undefined, sentAt: 0 };
      takers.add(taker);
      pass();
      return {
        took() {
          letGo(taker);
          pass();
        },
        closed(over) {
          taker.open -= over;
        },
        leave() {
          takers.delete(taker);
          letGo(taker);
          pass();
        },
      };
    },
    async close() {
      for (const server of servers) server.close();
      const late = performance.now() + LAST_CALL;
      while (waiting.length > 0 && performance.now() < late) await pause(10);
      clearTimeout(again);
      for (const socket of waiting) socket.destroy();
    },
  };
}

/** Of those that take anything. */
function fewest(takers: Iterable<Taker>): Taker | undefined {
  const able = [...takers].filter(({ sent, sentAt }) => sent === undefined || performance.now() - sentAt < LATE);
  return able.reduce<Taker | undefined>((best, each) => (best && best.open <= each.open ? best : each), undefined);
}

/** `localhost` is every address that it stands for, of which the first must be free. */
async function listenEverywhere({ host, port }: Address, arrive: (socket: Socket) => void): Promise<readonly Server[]> {
  const first = await listening({ host, port }, arrive);
  if (host !== 'localhost') return [first];
  const named = await lookup(host, { all: true });
  const others = named.slice(1).map(({ address }) => listening({ host: address, port: portOf(first) }, arrive));
  const heard = await Promise.allSettled(others);
  return [first, ...heard.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))];
}

async function listening(address: Address, arrive: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, arrive);
  await listenAt(server, address);
  // A connection that could not be accepted (no descriptor, no buffer) is that one's end, not the group's.
  server.on('error', () => {});
  return server;
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Where it can be asked from this machine. */
function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
