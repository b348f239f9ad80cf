// A process with many followers of the feed, each on a separate HTTP connection. followers.ts starts it, and asks it.
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Asked, Heard, State, Wanted } from './followers.ts';

/** Milliseconds. */
const RETRY = 50;
/** Connections that open at the same time, because a listener's queue is short. */
const AT_ONCE = 50;

/** `performance.now` counts from the start of each process; this clock is the same in all of them. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** What all followers heard: each must hear the same events in the same order. */
const ids: number[] = [];
const keys: string[] = [];
/** For each event, when the last follower got it. */
const lastAt: number[] = [];
const faults: string[] = [];
const followers: Follower[] = [];
let [connects, drops, resets, refused] = [0, 0, 0, 0];

interface Frame {
  readonly id: number;
  readonly event: string;
  readonly key: string;
}

class Follower {
  readonly #wanted: Wanted;
  readonly #index: number;
  #request: ClientRequest | undefined;
  #node: number;
  #rest = '';
  /** Its place in the list of all events. */
  next = 0;
  isInStep = false;

  constructor(wanted: Wanted, index: number) {
    this.#wanted = wanted;
    this.#index = index;
    this.#node = index;
  }

  /** Settles with the first answer. */
  follow(): Promise<void> {
    const { urls, headers, cursor } = this.#wanted;
    const since = ids[this.next - 1] ?? cursor;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.isInStep = false;
    this.#rest = '';
    this.#request = get(urls[this.#node % urls.length] as string, {
      headers: { ...headers, ...(since > 0 && { 'last-event-id': String(since) }) },
      agent: false,
    });
    this.#request.on('response', (response) => this.#read(response, resolve));
    this.#request.on('error', () => {});
    this.#request.once('close', () => {
      resolve();
      void this.#again();
    });
    return promise;
  }

  #read(response: IncomingMessage, ready: () => void): void {
    if (response.statusCode !== 200) refused++;
    else connects++;
    response.on('error', () => {});
    if (response.statusCode !== 200) return void response.resume();
    ready();
    if (this.#wanted.isDeaf) response.pause();
    else response.on('data', (chunk: Buffer) => this.#hear(chunk));
  }

  /** With its cursor, at the next node. */
  async #again(): Promise<void> {
    drops++;
    this.isInStep = false;
    if (this.#wanted.isDeaf) return;
    this.#node++;
    await pause(RETRY + (this.#index % RETRY));
    await this.follow();
  }

  #hear(chunk: Buffer): void {
    const { frames, comments, rest } =
      this.#rest === '' ? readOnce(chunk) : read(this.#rest + chunk.toString('latin1'));
    this.#rest = rest;
    const at = now();
    for (const frame of frames) this.#take(frame, at);
    if (comments > 0) this.isInStep = true;
  }

  #take({ id, event, key }: Frame, at: number): void {
    if (event === 'reset') {
      resets++;
      this.next = 0;
      return;
    }
    if (this.next === ids.length) {
      ids.push(id);
      keys.push(key);
    } else if (ids[this.next] !== id) fault(`follower ${this.#index} got ${id} in place of ${ids[this.next]}`);
    lastAt[this.next] = at;
    this.next++;
  }
}

function fault(text: string): void {
  if (faults.length < 20) faults.push(text);
}

interface Read {
  readonly frames: readonly Frame[];
  readonly comments: number;
  readonly rest: string;
}

let known: { readonly chunk: Buffer; readonly read: Read } | undefined;

/** Followers get the same bytes, so a process reads them once. It would otherwise measure itself. */
function readOnce(chunk: Buffer): Read {
  if (known === undefined || !known.chunk.equals(chunk)) known = { chunk, read: read(chunk.toString('latin1')) };
  return known.read;
}

function read(text: string): Read {
  const pieces = text.split('\n\n');
  const rest = pieces.pop() ?? '';
  const told = pieces.filter((piece) => !piece.startsWith(':'));
  return { frames: told.map(frameOf), comments: pieces.length - told.length, rest };
}

const FRAME = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/;

function frameOf(text: string): Frame {
  const [, id, event = '', data = '{}'] = FRAME.exec(text) ?? [];
  if (id === undefined) fault(`no frame: ${text.slice(0, 80)}`);
  return { id: Number(id), event, key: (JSON.parse(data) as { key: string }).key };
}

async function open(wanted: Wanted): Promise<void> {
  const added = Array.from({ length: wanted.count }, (_, index) => new Follower(wanted, wanted.from + index));
  followers.push(...added);
  const queue = added.values();
  const work = async () => {
    for (const follower of queue) await follower.follow();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function state(): State {
  return {
    followers: followers.length,
    inStep: followers.filter(({ isInStep }) => isInStep).length,
    events: ids.length,
    least: followers.reduce((least, { next }) => Math.min(least, next), ids.length),
    connects,
    drops,
    resets,
    refused,
    faults,
  };
}

const answers: Readonly<Record<Asked['ask'], (asked: Asked) => unknown>> = {
  follow: async (asked) => {
    await open((asked as Extract<Asked, { ask: 'follow' }>).wanted);
    return state();
  },
  state,
  heard: (): Heard => ({ ids, keys, lastAt }),
};

process.on('message', async (asked: Asked) => void process.send?.((await answers[asked.ask](asked)) as object));
process.on('disconnect', () => process.exit());
process.send?.('it runs');
