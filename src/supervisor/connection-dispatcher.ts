import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Entrance } from './ipc-channel.ts';

/** A worker that accepts connections. */
export interface ConnectionTarget {
  /** The worker has received the last connection, so it can take the next one. */
  took(): void;
  /** This many connections have closed. */
  closed(count: number): void;
  leave(): void;
}

/** `failed`: the connection did not reach the worker. */
export type Hand = (socket: Socket, failed: () => void, entrance: Entrance) => void;

/** `room`: the connections that the open files of all processes allow. */
export type NoteRefused = (entrance: Entrance, room: number) => void;

interface Taker {
  readonly hand: Hand;
  open: number;
  /** The connection in transit. A worker has only one at a time. */
  sent: Socket | undefined;
  sentAt: number;
}

interface Arrived {
  readonly socket: Socket;
  readonly entrance: Entrance;
}

/** Milliseconds for waiting connections while the sockets close. */
const LAST_CALL = 1_000;
/**
 * Milliseconds. A worker that has not acknowledged a connection by then is stuck, and the next connection goes to
 * another worker.
 */
const LATE = 100;
/** Milliseconds. A live worker that has not acknowledged a socket by now never received it. */
const LOST = 8_000;

/** Gives each connection to the worker with the fewest connections. Each worker gets one at a time. */
export class ConnectionDispatcher {
  readonly #takers = new Set<Taker>();
  readonly #waiting: Arrived[] = [];
  readonly #most: () => number;
  readonly #room: number;
  readonly #refused: NoteRefused;
  #again: NodeJS.Timeout | undefined;

  /**
   * @param most connections open at one time; further ones are rejected at once
   * @param room connections for each process
   * @param refused hears of each rejected connection
   */
  constructor(most: () => number, room = Number.POSITIVE_INFINITY, refused: NoteRefused = () => {}) {
    this.#most = most;
    this.#room = room;
    this.#refused = refused;
  }

  arrive(arrived: Arrived): void {
    const { socket, entrance } = arrived;
    if (this.#isFull) return void this.#reject(socket, entrance);
    socket.on('error', () => socket.destroy());
    this.#waiting.push(arrived);
    this.#pass();
  }

  join(hand: Hand): ConnectionTarget {
    const taker: Taker = { hand, open: 0, sent: undefined, sentAt: 0 };
    this.#takers.add(taker);
    this.#pass();
    return {
      took: () => this.#took(taker),
      closed: (over) => {
        // A connection that counted as lost may have arrived anyway.
        taker.open = Math.max(0, taker.open - over);
      },
      leave: () => this.#leave(taker),
    };
  }

  /** Resolves once no connection waits that a worker could still accept. */
  async close(): Promise<void> {
    const late = performance.now() + LAST_CALL;
    while (this.#waiting.length > 0 && performance.now() < late) await pause(10);
    clearTimeout(this.#again);
    for (const { socket } of this.#waiting) socket.destroy();
  }

  #reject(socket: Socket, entrance: Entrance): void {
    socket.destroy();
    this.#refused(entrance, this.#room * Math.max(1, this.#takers.size));
  }

  get #isFull(): boolean {
    if (this.#waiting.length >= this.#room) return true;
    const open = [...this.#takers].reduce((sum, taker) => sum + taker.open, this.#waiting.length);
    return open >= Math.min(this.#most(), this.#room * Math.max(1, this.#takers.size));
  }

  #pass(): void {
    clearTimeout(this.#again);
    for (const taker of this.#takers) if (isLost(taker)) this.#giveUp(taker);
    while (this.#waiting.length > 0 && this.#takers.size > 0) {
      const taker = this.#fewest();
      if (taker === undefined || taker.sent !== undefined) {
        this.#again = setTimeout(() => this.#pass(), LATE);
        return;
      }
      const arrived = this.#waiting.shift();
      if (arrived !== undefined && !arrived.socket.destroyed) this.#bring(arrived, taker);
    }
  }

  /** The workers that accept connections. */
  #fewest(): Taker | undefined {
    const isAble = ({ sent, sentAt }: Taker) => sent === undefined || performance.now() - sentAt < LATE;
    return [...this.#takers]
      .filter(isAble)
      .reduce<Taker | undefined>((best, each) => (best && best.open <= each.open ? best : each), undefined);
  }

  #bring(arrived: Arrived, taker: Taker): void {
    const { socket, entrance } = arrived;
    Object.assign(taker, { sent: socket, sentAt: performance.now(), open: taker.open + 1 });
    taker.hand(socket, () => this.#bringBack(arrived, taker), entrance);
  }

  #bringBack(arrived: Arrived, taker: Taker): void {
    if (taker.sent !== arrived.socket) return;
    Object.assign(taker, { sent: undefined, open: taker.open - 1 });
    this.#takers.delete(taker);
    this.#waiting.unshift(arrived);
    this.#pass();
  }

  #giveUp(taker: Taker): void {
    letGo(taker);
    taker.open--;
  }

  #took(taker: Taker): void {
    letGo(taker);
    this.#pass();
  }

  #leave(taker: Taker): void {
    this.#takers.delete(taker);
    letGo(taker);
    this.#pass();
  }
}

function isLost({ sent, sentAt }: Taker): boolean {
  return sent !== undefined && performance.now() - sentAt > LOST;
}

/** The worker now has its own descriptor, or has ended. */
function letGo(taker: Taker): void {
  taker.sent?.destroy();
  taker.sent = undefined;
}
