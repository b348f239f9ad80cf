import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';
import { resetConnection } from '../../../src/base/reset-connection.ts';
import { freePort } from '../../support/free-port.ts';
import { random } from '../../support/random.ts';
import { type Flow, FlowOfBytes } from './flow.ts';
import { type Unaccepting, unaccepting } from './unaccepting.ts';

export type { Flow } from './flow.ts';

/**
 * How connections are taken:
 * - `pass`: each is carried to the target, as the two flows say
 * - `refuse`: nothing listens and what stood is reset, as of a program that died
 * - `never accept`: the queue of the listener is full, a SYN is not answered; what stood goes on
 * - `black hole`: taken and read, never answered; what stood too
 * - `half-open`: as `black hole`, and the target's side of what stood is closed without a word to the client
 * - `reset`: RST as soon as it is taken; what stood too
 * - `end`: FIN as soon as it is taken; what stood too
 * - `garbage`: the first bytes of a client are answered with random ones, then FIN
 */
export type Door = 'pass' | 'refuse' | 'never accept' | 'black hole' | 'half-open' | 'reset' | 'end' | 'garbage';

export interface Fault {
  readonly door?: Door;
  /** From the client to the target. */
  readonly request?: Flow;
  /** From the target to the client. */
  readonly answer?: Flow;
  /** Number of bytes that `garbage` answers; 1024 by default. */
  readonly garbage?: number;
}

export interface FaultProxy {
  readonly port: number;
  /** The target's URL with this proxy's host and port. */
  readonly url: string;
  /** Any other URL of the target, through this proxy. */
  through(url: string): string;
  /** Applies from now on, also to open connections. Resolves when the listener has the new state. */
  set(fault: Fault): Promise<void>;
  /** Everything passes again. Connections that a fault has stalled are reset. */
  mend(): Promise<void>;
  /** RST on all open connections. */
  cut(): void;
  /** Connections accepted since the start. */
  readonly connections: number;
  /** Open connections. */
  readonly open: number;
  /** Bytes that clients sent, and bytes that they received. */
  readonly bytes: { readonly request: number; readonly answer: number };
}

const ports: Record<string, string> = {
  'http:': '80',
  'https:': '443',
  'redis:': '6379',
  'rediss:': '6379',
  'postgres:': '5432',
  'postgresql:': '5432',
};

/** A TCP proxy before the host and port of a URL. A test switches its faults at run time. Closed after the test. */
export async function faultProxy(t: Test, target: string, seed = 1): Promise<FaultProxy> {
  // A port that is free for it again after an outage.
  const proxy = new Between(target, await freePort(), seed);
  await proxy.listen();
  t.teardown(() => proxy.close());
  return proxy;
}

class Between implements FaultProxy {
  readonly port: number;
  connections = 0;
  readonly bytes = { request: 0, answer: 0 };
  readonly #target: URL;
  readonly #seed: number;
  readonly #carried = new Set<Carried>();
  #fault: Fault = {};
  #server: Server | undefined;
  #unaccepting: Unaccepting | undefined;

  constructor(target: string, port: number, seed: number) {
    this.#target = new URL(target);
    this.port = port;
    this.#seed = seed;
  }

  get url(): string {
    return this.through(this.#target.href).replace(/\/$/, '');
  }

  get open(): number {
    return this.#carried.size;
  }

  /** Text is replaced, because a URL object does not accept a port for every scheme. */
  through(url: string): string {
    const { host, hostname } = new URL(url);
    return url.replace(host, `${hostname}:${this.port}`);
  }

  async set(fault: Fault): Promise<void> {
    const door = fault.door ?? 'pass';
    const before = this.#fault;
    this.#fault = fault;
    if (door === 'refuse' || door === 'never accept') await this.#shut();
    if (door !== 'never accept') await this.#free();
    if (door === 'never accept') this.#unaccepting ??= await unaccepting(this.port);
    else if (door !== 'refuse') await this.listen();
    for (const carried of this.#carried) carried.turn(fault, before);
  }

  mend(): Promise<void> {
    return this.set({});
  }

  cut(): void {
    for (const carried of this.#carried) carried.reset();
  }

  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#take(client));
    this.#server = server;
    await new Promise<void>((listens, fails) => server.once('error', fails).listen(this.port, '127.0.0.1', listens));
  }

  async close(): Promise<void> {
    this.cut();
    await this.#shut();
    await this.#free();
  }

  /** Does not wait for open connections: the port is free immediately. */
  async #shut(): Promise<void> {
    this.#server?.close();
    this.#server = undefined;
    await new Promise((turned) => setImmediate(turned));
  }

  async #free(): Promise<void> {
    await this.#unaccepting?.close();
    this.#unaccepting = undefined;
  }

  #take(client: Socket): void {
    this.connections++;
    const carried = new Carried(client, {
      dial: () => connect({ port: this.#targetPort, host: this.#host, allowHalfOpen: true, noDelay: true }),
      bytes: this.bytes,
      seed: this.#seed + this.connections,
      gone: () => this.#carried.delete(carried),
    });
    this.#carried.add(carried);
    carried.begin(this.#fault);
  }

  get #targetPort(): number {
    return Number(this.#target.port || ports[this.#target.protocol]);
  }

  get #host(): string {
    return this.#target.hostname.replace(/^\[|\]$/g, '');
  }
}

interface Surroundings {
  dial(): Socket;
  readonly bytes: { request: number; answer: number };
  readonly seed: number;
  gone(): void;
}

/** One connection of a client, and the one to the target if there is one. */
class Carried {
  readonly #client: Socket;
  readonly #around: Surroundings;
  #target: Socket | undefined;
  #flows: { request: FlowOfBytes; answer: FlowOfBytes } | undefined;
  #fault: Fault = {};
  /** It has had a fault after which it is unusable. */
  #spoilt = false;

  constructor(client: Socket, around: Surroundings) {
    this.#client = client;
    this.#around = around;
    client.on('error', () => {});
    client.on('close', () => {
      around.gone();
      this.#target?.destroy();
    });
    client.on('data', (chunk: Buffer) => this.#read(chunk));
    // Nothing will come back, so a client that ends has given up.
    client.on('end', () => this.#answersNothing() && client.destroy());
  }

  #answersNothing(): boolean {
    return this.#spoilt || this.#fault.answer?.hold === true;
  }

  begin(fault: Fault): void {
    this.#apply(fault);
    if (!this.#spoilt && (fault.door ?? 'pass') !== 'garbage') this.#dial();
  }

  turn(fault: Fault, before: Fault): void {
    const mended = fault.door === undefined && this.#stuckBy(before);
    if (mended) this.reset();
    else this.#apply(fault);
  }

  reset(): void {
    resetConnection(this.#client);
    if (this.#target !== undefined) resetConnection(this.#target);
  }

  #stuckBy({ request, answer }: Fault): boolean {
    return this.#spoilt || this.#target === undefined || request?.hold === true || answer?.hold === true;
  }

  #apply(fault: Fault): void {
    this.#fault = fault;
    doors[fault.door ?? 'pass']?.({ client: this.#client, target: this.#target, reset: () => this.reset() });
    if (fault.door === 'black hole' || fault.door === 'half-open') this.#spoilt = true;
    const stuck: Flow | undefined = this.#spoilt ? { hold: true } : undefined;
    if (this.#flows === undefined) return;
    this.#flows.request.rule = stuck ?? (fault.door === 'garbage' ? { hold: true } : (fault.request ?? {}));
    this.#flows.answer.rule = stuck ?? fault.answer ?? {};
  }

  #read(chunk: Buffer): void {
    this.#around.bytes.request += chunk.length;
    if (this.#fault.door !== 'garbage' || this.#client.writableEnded) return;
    const length = this.#fault.garbage ?? 1024;
    const source = random(this.#around.seed);
    this.#around.bytes.answer += length;
    this.#client.end(Buffer.from(Array.from({ length }, () => source.below(256))));
  }

  #dial(): void {
    const [client, target] = [this.#client, this.#around.dial()];
    this.#target = target;
    const reset = () => this.reset();
    target.on('error', () => !this.#spoilt && reset());
    const counted = (bytes: number) => {
      this.#around.bytes.answer += bytes;
    };
    const { request = {}, answer = {} } = this.#fault;
    const { seed } = this.#around;
    this.#flows = {
      request: new FlowOfBytes({ from: client, to: target, reset, carried: () => {} }, request, seed),
      answer: new FlowOfBytes({ from: target, to: client, reset, carried: counted }, answer, seed + 1_000_000),
    };
  }
}

interface Sides {
  readonly client: Socket;
  readonly target: Socket | undefined;
  reset(): void;
}

const doors: Partial<Record<Door, (sides: Sides) => void>> = {
  refuse: ({ reset }) => reset(),
  reset: ({ reset }) => reset(),
  end({ client, target }) {
    client.end();
    target?.destroy();
  },
  'half-open': ({ target }) => target?.destroy(),
};
