import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { badTokens, type Forged } from './bad-tokens.ts';

// `node paced-program.ts`: the first line of its input is a plan. Each further line is empty or changes the plan, and
// is answered with the results of the requests since the previous line. It ends at the end of its input.

export interface Plan {
  readonly port: number;
  readonly perSecond: number;
  readonly connections: number;
  /** A loopback address, 127.0.0.1 if absent; connections use several in turn. */
  readonly from?: string | readonly string[];
  /** Milliseconds between two moments at which requests are sent; 2 if absent. */
  readonly every?: number;
  readonly target: string;
  /** Values of Authorization, in turn. */
  readonly values?: readonly string[];
  /** Or the material from which they are forged. */
  readonly forged?: Forged;
  /** Or whole requests, in turn. */
  readonly requests?: readonly string[];
}

export interface Paced {
  readonly sent: number;
  /** How often each status was the answer; `cut`: no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds from when a request was due, including the wait for a connection, to its answer. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

interface Job {
  readonly due: number;
  readonly bytes: string;
}

/** Requests that wait for a connection: a flood does not queue without limit. */
const BACKLOG = 2_000;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const {
  port,
  connections,
  from = '127.0.0.1',
  every = 2,
  target,
  forged,
  requests = [],
  ...plan
}: Plan = JSON.parse(String((await lines.next()).value));
let { perSecond, values = [] } = plan;
let turn = 0;
const sources = [from].flat();
let opened = 0;

let took: number[] = [];
let statuses: Record<string, number> = {};
let sent = 0;
const queue: Job[] = [];
const free: Connection[] = [];

class Connection {
  readonly #source = sources[opened++ % sources.length] as string;
  #socket: Socket;
  #job: Job | undefined;
  #text = '';
  /** The answer said that it is the last on its connection. */
  #ending = false;

  constructor() {
    this.#socket = this.#open();
  }

  send(job: Job): void {
    this.#job = job;
    this.#socket.write(job.bytes, 'latin1');
  }

  #open(): Socket {
    const socket = connect({ port, host: '127.0.0.1', localAddress: this.#source, noDelay: true }).setEncoding(
      'latin1',
    );
    socket.on('data', (text) => this.#read(String(text)));
    socket.on('error', () => {});
    socket.on('close', () => this.#closed());
    return socket;
  }

  #closed(): void {
    this.#text = '';
    this.#socket = this.#open();
    if (this.#job !== undefined) this.#settle('cut');
    else if (this.#ending) this.#next();
    this.#ending = false;
  }

  #read(text: string): void {
    // If a connection is opened and not used in time, the server sends 408 and closes.
    if (this.#job === undefined) return;
    this.#text += text;
    const end = this.#text.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/^content-length: *(\d+)/im.exec(this.#text.slice(0, end))?.[1] ?? 0);
    if (this.#text.length < end + 4 + length) return;
    const status = this.#text.slice(9, 12);
    const isLast = /^connection: *close/im.test(this.#text.slice(0, end));
    this.#text = '';
    this.#settle(status, isLast);
  }

  #settle(status: string, isLast = false): void {
    const { due } = this.#job as Job;
    took.push(performance.now() - due);
    statuses[status] = (statuses[status] ?? 0) + 1;
    this.#job = undefined;
    this.#ending = isLast;
    if (isLast) this.#socket.destroy();
    else this.#next();
  }

  #next(): void {
    const next = queue.shift();
    if (next === undefined) free.push(this);
    else this.send(next);
  }
}

const value = forged === undefined ? () => values[turn++ % values.length] as string : badTokens(forged);

function text(): string {
  if (requests.length > 0) return requests[turn++ % requests.length] as string;
  return `GET ${target} HTTP/1.1\r\nHost: api.example.com\r\nAuthorization: ${value()}\r\n\r\n`;
}

function begin(): void {
  const job = { due: performance.now(), bytes: text() };
  // In turn, so that no connection stays idle until it is closed.
  const connection = free.shift();
  sent++;
  if (connection !== undefined) connection.send(job);
  else queue.push(job);
}

function told(): Paced {
  const sorted = took.sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const paced = { sent, statuses, p50: at(0.5), p99: at(0.99), longest: at(1) };
  took = [];
  statuses = {};
  sent = 0;
  return paced;
}

for (let count = 0; count < connections; count++) free.push(new Connection());
let last = performance.now();
let due = 0;
const timer = setInterval(() => {
  const now = performance.now();
  due += ((now - last) / 1000) * perSecond;
  last = now;
  for (; due >= 1; due--) if (queue.length < BACKLOG) begin();
}, every);

for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
  if (line.value !== '') ({ perSecond = perSecond, values = values } = JSON.parse(line.value) as Partial<Plan>);
  process.stdout.write(`${JSON.stringify(told())}\n`);
}
clearInterval(timer);
process.exit();
