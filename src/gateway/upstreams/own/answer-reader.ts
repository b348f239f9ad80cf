import { LastMade } from '../../../base/last-made.ts';
import type { SizedLines } from '../../message/lines.ts';
import { MAX_HEADER_SIZE } from '../engine.ts';
import type { AnswerMemory } from './answer-handler.ts';
import { type AnswerHead, judgeBeginning, judgeSwitch, readAnswerHead } from './answer-head.ts';
import { ByteStore } from './byte-store.ts';
import { ChunkedContent } from './chunked-content.ts';
import { AnswerCut, InvalidAnswer } from './invalid-answer.ts';

/** Receives an answer. `false`: the reader pauses until `resume`. */
export interface AnswerSink {
  /** Also called for an interim answer. */
  onHead(head: AnswerHead, memory?: AnswerMemory): boolean;
  onData(chunk: Buffer): boolean;
  onEnd(trailers: readonly string[]): void;
  /** From now on the connection uses another protocol. `rest`: its first bytes. */
  onSwitch(head: AnswerHead, rest: Buffer): void;
}

export interface Awaited {
  readonly method: string;
  /** Whether the request asks for another protocol. */
  readonly upgrades: boolean;
}

const NOTHING: readonly string[] = [];
const HEAD_END = '\r\n\r\n';

/** The last head of a connection. Many answers repeat the previous head. */
interface KnownHead {
  readonly text: string;
  /** The method decides whether content follows. */
  readonly method: string;
  readonly head: AnswerHead;
  memory: AnswerMemory | undefined;
}

type State = 'idle' | 'head' | 'sized' | 'chunked' | 'until-close' | 'over';

/**
 * Parses the answers of one connection: a strict part of RFC 9112, one answer to one request. Anything doubtful throws
 * InvalidAnswer. The connection must not be used afterwards.
 */
export class AnswerReader {
  readonly #sink: AnswerSink;
  /** A head that arrives in pieces. Most arrive completely. */
  #head: ByteStore | undefined;
  #state: State = 'idle';
  /** Whether the pieces have not passed the status line yet. */
  #isFirstLine = true;
  #awaited: Awaited = { method: '', upgrades: false };
  #left = 0;
  #chunked: ChunkedContent | undefined;
  #paused = false;
  #held: Buffer | undefined;
  #isLast = false;
  #known: KnownHead | undefined;
  /** Whether the connection has had no head yet. */
  #isFirst = true;
  /** Whether another request may follow. */
  persists = false;
  /** Seconds, from the upstream. */
  keepAlive: number | undefined;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** A request is in flight: the next bytes are its answer. */
  begin(awaited: Awaited): void {
    this.#awaited = awaited;
    this.#state = 'head';
    this.#paused = false;
  }

  /** A request has been sent, and its answer has not ended. */
  get isAwaited(): boolean {
    return this.#state !== 'over' && this.#state !== 'idle';
  }

  /** The content has begun. */
  get hasBegun(): boolean {
    return this.isAwaited && this.#state !== 'head';
  }

  get isPaused(): boolean {
    return this.#paused;
  }

  /** The upstream has closed, and its last bytes have not been read. */
  get isLast(): boolean {
    return this.#isLast && this.#paused;
  }

  /** The connection is idle. It must forget the head, because the answer may have been for one client alone. */
  forget(): void {
    this.#known = undefined;
  }

  /** Throws InvalidAnswer. */
  read(piece: Buffer): void {
    if (this.#paused) this.#hold(piece);
    else this.#readFrom(piece, 0);
  }

  /** Copies held bytes, because their memory is reused before they are read. */
  keepHeld(): void {
    if (this.#held !== undefined) this.#held = Buffer.from(this.#held);
  }

  /** Continues after a pause. Throws InvalidAnswer. */
  resume(): void {
    this.#paused = false;
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#readFrom(held, 0);
    if (this.#isLast && !this.#paused) this.finish();
  }

  /** The upstream has closed. Throws AnswerCut if the answer is incomplete. While paused, `resume` throws it. */
  finish(): void {
    this.#isLast = true;
    this.persists = false;
    if (this.#paused) return;
    if (this.#state === 'until-close') this.#end(NOTHING);
    else if (this.#state !== 'over') throw new AnswerCut('the upstream closed the connection');
  }

  #readFrom(piece: Buffer, from: number): void {
    let at = from;
    while (at < piece.length) {
      if (this.#paused) {
        this.#hold(piece.subarray(at));
        return;
      }
      at = this.#step(piece, at);
    }
  }

  /** Keeps bytes that arrive during a pause. The socket then stops reading, so there are at most two pieces. */
  #hold(piece: Buffer): void {
    this.#held = this.#held === undefined ? piece : Buffer.concat([this.#held, piece]);
  }

  #step(piece: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(piece, at);
      case 'sized':
        return this.#readSized(piece, at);
      case 'chunked':
        return this.#readChunked(piece, at);
      case 'until-close':
        this.#give(at === 0 ? piece : piece.subarray(at));
        return piece.length;
      default:
        // The upstream sent an answer without a request, or more bytes than announced.
        throw new InvalidAnswer('bytes that belong to no answer');
    }
  }

  #readHead(piece: Buffer, at: number): number {
    if (this.#head === undefined) {
      const end = piece.indexOf(HEAD_END, at, 'latin1');
      if (end >= 0 && end - at <= MAX_HEADER_SIZE)
        return this.#begun(piece.toString('latin1', at, end), piece, end + 4);
    }
    this.#head ??= new ByteStore(MAX_HEADER_SIZE + HEAD_END.length);
    return this.#gatherHead(this.#head, piece, at);
  }

  #gatherHead(head: ByteStore, piece: Buffer, at: number): number {
    const before = head.size;
    const taken = head.add(piece, at);
    const end = head.indexOf(HEAD_END, before - 3);
    if (end < 0) {
      this.#judgeBeginning(head, before);
      return at + taken;
    }
    this.#head = undefined;
    this.#isFirstLine = true;
    return this.#begun(head.text(0, end), piece, at + end + 4 - before);
  }

  /** Rejects bytes that cannot become a head at once, without waiting for the end of the head. */
  #judgeBeginning(head: ByteStore, before: number): void {
    if (head.isFull) throw new InvalidAnswer(`more than ${MAX_HEADER_SIZE} bytes of header`);
    const from = Math.max(0, before - 1);
    this.#isFirstLine = judgeBeginning(head.text(from, head.size), from, this.#isFirstLine);
  }

  /** Returns the position of the content. */
  #begun(text: string, piece: Buffer, at: number): number {
    const { method } = this.#awaited;
    if (this.#known?.text === text && this.#known.method === method) {
      this.#known.memory ??= new LastMade<SizedLines>();
      this.#enter(this.#known.head, this.#known.memory);
      return at;
    }
    const head = readAnswerHead(text, method, this.#isFirst);
    this.#isFirst = false;
    if (head.status === 101) return this.#switch(head, piece, at);
    if (head.status < 200) {
      this.#sink.onHead(head);
      return at;
    }
    this.#known = { text, method, head, memory: undefined };
    this.#enter(head);
    return at;
  }

  #enter(head: AnswerHead, memory?: AnswerMemory): void {
    const { framing } = head;
    // The client may believe that the other protocol it asked for has begun.
    this.persists = head.persists && !this.#awaited.upgrades;
    this.keepAlive = head.keepAlive;
    this.#state = framing.kind === 'none' ? 'over' : framing.kind;
    this.#left = framing.kind === 'sized' ? framing.length : 0;
    this.#chunked = framing.kind === 'chunked' ? new ChunkedContent() : undefined;
    if (!this.#sink.onHead(head, memory)) this.#paused = true;
    if (framing.kind === 'none') this.#end(NOTHING);
  }

  #switch(head: AnswerHead, piece: Buffer, at: number): number {
    if (!this.#awaited.upgrades) throw new InvalidAnswer('a switch to a protocol that the client did not request');
    judgeSwitch(head);
    this.#state = 'over';
    this.persists = false;
    this.#sink.onSwitch(head, piece.subarray(at));
    return piece.length;
  }

  #readSized(piece: Buffer, at: number): number {
    const end = Math.min(piece.length, at + this.#left);
    this.#left -= end - at;
    this.#give(at === 0 && end === piece.length ? piece : piece.subarray(at, end));
    if (this.#left === 0) this.#end(NOTHING);
    return end;
  }

  #readChunked(piece: Buffer, from: number): number {
    const chunked = this.#chunked as ChunkedContent;
    const at = chunked.read(piece, from);
    if (chunked.data !== undefined) this.#give(chunked.data);
    if (chunked.ended !== undefined) this.#end(chunked.ended);
    return at;
  }

  #give(data: Buffer): void {
    if (!this.#sink.onData(data)) this.#paused = true;
  }

  /** Delivers the end even to a paused reader, because nothing follows. */
  #end(trailers: readonly string[]): void {
    this.#state = 'over';
    this.#paused = false;
    this.#sink.onEnd(trailers);
  }
}
