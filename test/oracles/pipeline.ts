import { connect, type Socket } from 'node:net';

/** The parts of an answer that an oracle needs. */
export interface Reply {
  readonly status: number;
  readonly location: string | undefined;
  /** One character an octet. */
  readonly body: string;
}

/** So many requests are in a connection at a time. */
const DEPTH = 16;
const CONNECTIONS = 4;
/** Milliseconds without a byte after which the server counts as hanging, and the test fails. */
const SILENCE = 60_000;

/**
 * Sends requests in pipelines over a few connections, and returns the replies in the order of the requests. Undefined:
 * the connection closed without an answer to this request, even when it was sent alone.
 */
export async function sendAll(port: number, requests: readonly string[]): Promise<readonly (Reply | undefined)[]> {
  const replies = new Array<Reply | undefined>(requests.length);
  let next = 0;
  const take = (most: number) => {
    const from = next;
    next = Math.min(next + most, requests.length);
    return { from, to: next };
  };
  const work = async () => {
    let connection: Connection | undefined;
    for (let { from, to } = take(DEPTH); from < to; { from, to } = take(DEPTH)) {
      let most = DEPTH;
      while (from < to) {
        connection = connection === undefined || connection.closed ? await open(port) : connection;
        const end = Math.min(from + most, to);
        const got = await connection.ask(requests.slice(from, end));
        for (const reply of got) replies[from++] = reply;
        // Cut off: sends the rest again, and then each unanswered request alone.
        if (got.length === 0 && most === 1) from++;
        most = got.length < end - from ? 1 : DEPTH;
      }
    }
    connection?.end();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return replies;
}

interface Connection {
  readonly closed: boolean;
  /** Fewer replies than requests: the connection closed after the last reply. */
  ask(requests: readonly string[]): Promise<readonly Reply[]>;
  end(): void;
}

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setTimeout(SILENCE, () => socket.destroy(new Error('silent')));
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return new Pipe(socket);
}

class Pipe implements Connection {
  readonly #socket: Socket;
  #unread = '';
  #wanted = 0;
  #replies: Reply[] = [];
  #done: (replies: readonly Reply[]) => void = () => {};
  closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    // A reset may come instead of an end. The unanswered requests are known either way.
    socket.on('error', () => {});
    socket.on('close', () => this.#close());
  }

  ask(requests: readonly string[]): Promise<readonly Reply[]> {
    this.#wanted = requests.length;
    this.#replies = [];
    const { promise, resolve } = Promise.withResolvers<readonly Reply[]>();
    this.#done = resolve;
    this.#socket.write(requests.join(''), 'latin1');
    if (this.closed) resolve([]);
    return promise;
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#unread += text;
    for (let found = parse(this.#unread); found !== undefined; found = parse(this.#unread)) {
      this.#unread = this.#unread.slice(found.length);
      this.#replies.push(found.reply);
    }
    if (this.#replies.length >= this.#wanted) this.#done(this.#replies);
  }

  #close(): void {
    this.closed = true;
    this.#done(this.#replies);
  }
}

function parse(text: string): { readonly reply: Reply; readonly length: number } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const status = Number(head.slice(9, 12));
  const body = bodyOf(text, end + 4, head, status);
  if (body === undefined) return undefined;
  const location = status >= 300 && status < 400 ? /\r\nlocation: ([^\r\n]*)/i.exec(head)?.[1] : undefined;
  return { reply: { status, location, body: body.text }, length: body.end };
}

function bodyOf(text: string, from: number, head: string, status: number): { text: string; end: number } | undefined {
  if (status === 304 || status === 204) return { text: '', end: from };
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = from + Number(length);
    return end <= text.length ? { text: text.slice(from, end), end } : undefined;
  }
  // Only error pages are chunked, and for those the status is enough.
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { text: '', end: text.length };
  const last = text.indexOf('0\r\n\r\n', from);
  return last === -1 ? undefined : { text: '', end: last + 5 };
}
