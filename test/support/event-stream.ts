import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export interface Frame {
  readonly id: number;
  readonly event: string;
  readonly data: { readonly key: string; readonly until: number; readonly nbf?: number };
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
}

/** A follower of the revocation feed that keeps what it gets. */
export interface EventStream {
  readonly response: IncomingMessage;
  readonly frames: readonly Frame[];
  /** Comment lines so far. */
  comments(): number;
  /** Settles with the first frames of that number, or rejects after the time, in milliseconds. */
  first(count: number, patience?: number): Promise<readonly Frame[]>;
  /** Settles after the next comment line. Until then, the feed has sent everything. */
  inStep(patience?: number): Promise<void>;
  /** Whether the other side ended it properly. */
  readonly ended: Promise<boolean>;
  close(): void;
}

/** Connects, whatever the answer is. */
export async function ask(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const [response] = (await once(request(url, headers), 'response')) as [IncomingMessage];
  return response;
}

function request(url: string, headers: Record<string, string>): ClientRequest {
  return get(url, { headers, agent: false });
}

export async function followEvents(url: string, headers: Record<string, string>): Promise<EventStream> {
  const response = await ask(url, headers);
  if (response.statusCode !== 200) throw new Error(`the feed answered ${response.statusCode}`);
  const frames: Frame[] = [];
  let comments = 0;
  let rest = '';
  let changed = Promise.withResolvers<void>();
  const news = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  response.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (rest + text).split('\n\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) {
      if (piece.startsWith(':')) comments++;
      else frames.push(frameOf(piece));
    }
    news();
  });
  const ended = new Promise<boolean>((resolve) => response.once('close', () => resolve(response.complete)));
  response.on('error', () => {});
  const until = async (what: string, holds: () => boolean, patience: number) => {
    const end = performance.now() + patience;
    while (!holds()) {
      if (performance.now() > end) throw new Error(`${what}: ${frames.length} frames, ${comments} comments`);
      await Promise.race([changed.promise, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
  };
  return {
    response,
    frames,
    comments: () => comments,
    async first(count, patience = 20_000) {
      await until(`${count} frames`, () => frames.length >= count, patience);
      return frames.slice(0, count);
    },
    async inStep(patience = 20_000) {
      const before = comments;
      await until('a comment', () => comments > before, patience);
    },
    ended,
    close: () => void response.destroy(),
  };
}

function frameOf(text: string): Frame {
  const lines = text.split('\n').map((line) => /^(id|event|data): (.*)$/.exec(line));
  const [id, event, data] = lines.map((line) => line?.[2] ?? '');
  if (lines.map((line) => line?.[1]).join() !== 'id,event,data') throw new Error(`no frame: ${text}`);
  return { id: Number(id), event: event ?? '', data: JSON.parse(data ?? ''), at: performance.now() };
}
