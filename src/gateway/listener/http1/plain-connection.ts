import { Gathered } from '../../client/gathered.ts';
import type { IncomingRequest } from '../../client/incoming-request.ts';
import { SectionMemory } from '../../client/section-memory.ts';
import type { Watched } from '../../client/stalls.ts';
import { MOST_IGNORED } from '../response-order.ts';
import { ContentRequest } from './content-request.ts';
import type { FieldSection } from './field-section.ts';
import type { HeardSocket } from './heard-socket.ts';
import { type PlainHead, readPlainHead } from './plain-head.ts';
import { PlainRequest } from './plain-request.ts';
import { PlainResponse, type ResponseOwner } from './plain-response.ts';

/** What connections share. */
export interface ConnectionOwner {
  readonly handle: (arrival: IncomingRequest) => void;
  /** Bytes of a head; a longer one is Node's to judge. */
  readonly headerSize: number;
  /** Milliseconds for a head, and for a connection between two requests. */
  readonly headersTimeout: number;
  readonly idle: number;
  readonly keepAliveLines: string;
  /** Node's server serves the connection from here on. `unread`: everything that no request was made of. */
  handOver(socket: HeardSocket, unread: Buffer): void;
  /** A head did not arrive in its time, or its connection ended before it. Node's server answers and closes it. */
  headFailed(socket: HeardSocket, fault: 'late' | 'cut'): void;
  closed(connection: PlainConnection): void;
}

/** Bytes that wait before a connection is read no further. What one read brings with the last of them comes on top. */
const MOST_HELD = 64 * 1024;

/** Requests that begin in one turn of the event loop. A thousand in one turn would delay everyone else. */
const AT_ONCE = 64;

/** Milliseconds beyond the announced time, so that a client that uses all of it does not meet a closed connection. */
const GRACE = 1_000;

/** Milliseconds for which an idle connection keeps the fields of its last request. They may hold a credential. */
const REMEMBERED = 1_000;

/**
 * A connection of HTTP/1.1 in plain text: one request at a time, each read from its first byte to its last. The first request
 * of another kind, and all that follows it, belongs to Node's server. No answer is owed at that moment.
 */
export class PlainConnection implements Watched, ResponseOwner {
  readonly socket: HeardSocket;
  readonly #owner: ConnectionOwner;
  #answering: PlainResponse | undefined;
  /** Read while an answer was in progress, or the beginning of a head. */
  #held: Gathered | undefined;
  /** The fields of the last request. Undefined: none, or the connection was idle. */
  #before: { readonly section: FieldSection; memory: SectionMemory | undefined } | undefined;
  /** Bytes behind the last request. Undefined: another request may follow. */
  #ignored: number | undefined;
  #isServing = false;
  /** Its requests continue in the next turn of the event loop. */
  #isResting = false;
  /** It is ending, or another one's. */
  #isOver = false;
  #hasServed = false;
  /** Grows with each change of what the connection waits for; the last check saw `#seen`, first at `#since`. */
  #changes = 0;
  #seen = 0;
  #since: number;

  constructor(socket: HeardSocket, owner: ConnectionOwner, now: number) {
    this.socket = socket;
    this.#owner = owner;
    this.#since = now;
    socket.hear = this.#hear;
    socket.on('end', this.#end).on('error', this.#broken).on('close', this.#closed).on('drain', this.#drained);
    socket.resume();
  }

  get keepAliveLines(): string {
    return this.#owner.keepAliveLines;
  }

  /** Nothing is owed in either direction. */
  get isIdle(): boolean {
    const isWaiting = this.#answering === undefined && this.#held === undefined;
    return this.#hasServed && isWaiting && this.socket.writableLength === 0;
  }

  ended(keeps: boolean): void {
    this.#answering = undefined;
    this.#changes++;
    if (keeps) {
      this.#goOn();
      return;
    }
    this.#isOver = true;
    this.#held = undefined;
    this.#ignored ??= 0;
    this.socket.destroySoon();
  }

  /** A coarse clock: a timeout is noticed up to two intervals late, and costs a request nothing. */
  check(now: number): void {
    if (this.#isOver) return;
    const { headersTimeout, idle } = this.#owner;
    if (this.#answering !== undefined || this.socket.writableLength > 0 || this.#seen !== this.#changes) {
      this.#seen = this.#changes;
      this.#since = now;
    } else if (this.#hasServed && this.#held === undefined) {
      const waited = now - this.#since;
      if (waited >= REMEMBERED) this.#before = undefined;
      if (waited >= idle + GRACE) this.socket.destroy();
    } else if (now - this.#since >= headersTimeout) this.#fail('late');
  }

  readonly #hear = (piece: Buffer): void => {
    if (this.#ignored !== undefined) {
      this.#ignore(piece.length);
      return;
    }
    // More of the same head is no change: a client that sends it byte by byte has the time of one head.
    if (this.#held === undefined) this.#changes++;
    if (this.#isFree && this.#held === undefined) {
      this.#serve(piece);
      return;
    }
    this.#hold(piece);
    this.#goOn();
  };

  get #isFree(): boolean {
    const isWaiting = this.#answering !== undefined || this.#isResting || this.#isOver;
    return !isWaiting && this.socket.writable && !this.socket.writableNeedDrain;
  }

  /** RFC 9112 §9.6. It is read anyway: a connection without a reader never reports that its client left. */
  #ignore(bytes: number): void {
    this.#ignored = (this.#ignored ?? 0) + bytes;
    if (this.#ignored > MOST_IGNORED) this.socket.pause();
  }

  #hold(piece: Buffer): void {
    this.#held ??= new Gathered(() => true);
    this.#held.add(piece);
    if (this.#held.bytes > MOST_HELD) this.socket.pause();
  }

  #serveHeld(): void {
    const held = this.#held?.whole;
    this.#held = undefined;
    if (held === undefined) return;
    if (held.length > MOST_HELD) this.socket.resume();
    this.#serve(held);
  }

  /** What is left of the bytes is copied: they are lent. */
  #serve(bytes: Buffer): void {
    this.#isServing = true;
    const rest = this.#serveAll(bytes);
    this.#isServing = false;
    if (rest === bytes.length) return;
    if (this.#ignored !== undefined) this.#ignore(bytes.length - rest);
    else if (!this.#isOver) this.#hold(bytes.subarray(rest));
  }

  /** Gives where the first byte is that no request was made of. */
  #serveAll(bytes: Buffer): number {
    let at = 0;
    for (let begun = 0; at < bytes.length && this.#isFree; begun++) {
      if (begun === AT_ONCE) {
        this.#isResting = true;
        setImmediate(this.#restEnds);
        break;
      }
      const head = readPlainHead(bytes, at, this.#owner.headerSize, this.#before?.section);
      if (head === 'unfinished') break;
      if (head === 'foreign') {
        this.#handOver(bytes.subarray(at));
        break;
      }
      at = head.end;
      this.#begin(head, bytes);
    }
    return at;
  }

  #begin(head: PlainHead, bytes: Buffer): void {
    const response = new PlainResponse(this, head.method, !head.section.isLast);
    this.#answering = response;
    if (head.section.isLast) this.#ignored = 0;
    this.#hasServed = true;
    this.#changes++;
    const request = this.#requestOf(head, bytes);
    this.#owner.handle({ request, response, target: head.target });
  }

  #requestOf(head: PlainHead, bytes: Buffer): IncomingRequest['request'] {
    const memory = this.#memoryOf(head.section);
    if (head.section.length === undefined) return new PlainRequest(head, memory, this.socket);
    return new ContentRequest(head, Buffer.from(bytes.subarray(head.content, head.end)), memory, this.socket);
  }

  /** Made for a section that comes again: one that comes once is read faster without. */
  #memoryOf(section: FieldSection): SectionMemory | undefined {
    if (this.#before?.section !== section) {
      this.#before = { section, memory: undefined };
      return undefined;
    }
    this.#before.memory ??= new SectionMemory(section.rawHeaders);
    return this.#before.memory;
  }

  readonly #restEnds = (): void => {
    this.#isResting = false;
    this.#goOn();
  };

  #goOn(): void {
    if (this.#isFree && !this.#isServing) this.#serveHeld();
  }

  #handOver(unread: Buffer): void {
    const { socket } = this;
    this.#leave();
    this.#owner.handOver(socket, Buffer.from(unread));
  }

  #fail(fault: 'late' | 'cut'): void {
    this.#leave();
    this.#owner.headFailed(this.socket, fault);
  }

  /** Another one has the connection from here on. */
  #leave(): void {
    const { socket } = this;
    this.#isOver = true;
    this.#held = undefined;
    this.#before = undefined;
    socket.hear = undefined;
    socket.off('end', this.#end).off('error', this.#broken).off('close', this.#closed).off('drain', this.#drained);
    this.#owner.closed(this);
  }

  /** As with Node's server, a client that has ended its side gets nothing more. */
  readonly #end = (): void => {
    if (this.#answering === undefined && this.#held !== undefined && !this.#isOver) this.#fail('cut');
    else this.socket.end();
  };

  readonly #broken = (): void => void this.socket.destroy();

  readonly #closed = (): void => {
    this.#isOver = true;
    this.#held = undefined;
    this.#owner.closed(this);
    this.#answering?.closed();
  };

  readonly #drained = (): void => {
    this.#answering?.drained();
    this.#goOn();
  };
}
