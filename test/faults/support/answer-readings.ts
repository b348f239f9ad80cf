import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import { type EngineOptions, type ForwardEngine, MAX_HEADER_SIZE } from '../../../src/gateway/upstreams/engine.ts';
import type { AnswerHead } from '../../../src/gateway/upstreams/own/answer-head.ts';
import { AnswerReader, type AnswerSink } from '../../../src/gateway/upstreams/own/answer-reader.ts';
import { openOwn } from '../../../src/gateway/upstreams/own/own-engine.ts';
import { LentWire, MemoryWire } from '../../support/memory-wire.ts';
import type { AnswerCase, Seen, SeenHead } from './answer-case.ts';
import { HeardAnswer } from './heard-answer.ts';

const url = new URL('http://upstream.test');
const options = { path: '/', headers: ['host', 'upstream.test'], headersTimeout: 0, bodyTimeout: 0 };

/** One request after the other, each over its own connection. */
export interface Reading {
  read(answer: AnswerCase, pieces: readonly Buffer[]): Promise<Seen>;
  close(): Promise<unknown>;
}

type Connected = (error: null, wire: MemoryWire) => void;

/** An engine over connections in memory. `open` gets its function to connect. */
function overWires(
  open: (connect: (to: unknown, done: Connected) => void) => Pick<ForwardEngine, 'dispatch' | 'destroy'>,
  Wire: typeof MemoryWire = MemoryWire,
) {
  let heard: (wire: MemoryWire) => void;
  let wire: MemoryWire | undefined;
  const engine = open((_, done) => {
    let isAsked = false;
    wire = new Wire((_bytes, own) => {
      if (!isAsked) heard(own);
      isAsked = true;
    });
    const made = wire;
    queueMicrotask(() => done(null, made));
  });
  const read = async ({ method, upgrades, ends }: AnswerCase, pieces: readonly Buffer[]): Promise<Seen> => {
    const answer = new HeardAnswer();
    const asked = new Promise<MemoryWire>((done) => {
      heard = done;
    });
    const upgrade = upgrades ? { upgrade: 'websocket' } : {};
    engine.dispatch({ ...options, method, ...upgrade }, answer as unknown as Dispatcher.DispatchHandler);
    const own = await asked;
    await say(own, pieces, ends);
    // One turn for reading the bytes, another for what follows from them.
    await turn();
    await turn();
    const seen = answer.seen(!own.destroyed);
    if (!own.closed) await closed(own);
    return seen;
  };
  return { read, close: () => engine.destroy() };
}

async function say(wire: MemoryWire, pieces: readonly Buffer[], ends: boolean): Promise<void> {
  for (const piece of pieces.slice(0, -1)) {
    wire.says([piece], false);
    await turn();
  }
  wire.says(pieces.slice(-1), ends);
}

function closed(wire: MemoryWire): Promise<void> {
  return new Promise((done) => {
    wire.once('close', () => setImmediate(done));
    wire.destroy();
  });
}

export function undiciReading(): Reading {
  return overWires((connect) => {
    const connector = connect as never;
    const kept = { pipelining: 1, keepAliveTimeoutThreshold: 1000 };
    return new Client(url, { connect: connector, maxHeaderSize: MAX_HEADER_SIZE, allowH2: false, ...kept });
  });
}

const engineOptions: EngineOptions = {
  url,
  serverName: url.hostname,
  trust: { kind: 'files' },
  connections: 1,
  connectTimeout: 1000,
  keepAlive: true,
};

/** Our whole engine, with connection, upload and pool. `Wire`: whose memory the bytes arrive in. */
export function ownReading(Wire: typeof MemoryWire = LentWire): Reading {
  return overWires(
    (connect) =>
      openOwn(engineOptions, (to, done) => connect(to, (error, wire) => done(error, wire as unknown as Socket))),
    Wire,
  );
}

/** Only the reader, as its connection uses it. */
export function readAnswer({ method, upgrades, ends }: AnswerCase, pieces: readonly Buffer[]): Seen {
  const sink = new HeardBySink();
  const reader = new AnswerReader(sink);
  reader.begin({ method, upgrades });
  let error: Error | undefined;
  try {
    for (const piece of pieces) {
      if (sink.end === 'switched') sink.onData(piece);
      else reader.read(piece);
    }
    if (ends && sink.end !== 'switched') reader.finish();
  } catch (thrown) {
    error = thrown as Error;
  }
  const isOver = sink.end === 'waiting';
  const end = isOver && error !== undefined ? 'failed' : sink.end;
  const isLong = reader.keepAlive === undefined || reader.keepAlive > 1;
  const isKept = end === 'complete' && error === undefined && reader.persists && isLong;
  const { heads, content, trailers } = sink;
  return { heads, content, trailers, end, error, isKept };
}

class HeardBySink implements AnswerSink {
  readonly heads: SeenHead[] = [];
  content = '';
  trailers: readonly string[] = [];
  end: Seen['end'] = 'waiting';

  onHead({ status, fields }: AnswerHead): boolean {
    this.heads.push({ status, fields });
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.content += chunk.toString('latin1');
    return true;
  }

  onEnd(trailers: readonly string[]): void {
    this.trailers = trailers;
    this.end = 'complete';
  }

  onSwitch({ status, fields }: AnswerHead, rest: Buffer): void {
    this.heads.push({ status, fields });
    this.content = rest.toString('latin1');
    this.end = 'switched';
  }
}
