import { ownText } from '../../../base/own-text.ts';
import { Gathered } from '../../client/gathered.ts';
import type { IncomingRequest } from '../../client/incoming-request.ts';
import { SectionMemory } from '../../client/section-memory.ts';
import type { Watched } from '../../client/stalls.ts';
import { MOST_IGNORED } from '../response-order.ts';
import { UnreadConnection } from '../unread-connection.ts';
import { ContentRequest } from './content-request.ts';
import type { FieldSection } from './field-section.ts';
import type { HeardSocket } from './heard-socket.ts';
import { type PlainHead, readPlainHead } from './plain-head.ts';
import { PlainRequest } from './plain-request.ts';
import { PlainResponse, type ResponseOwner } from './plain-response.ts';

/** Settings and actions that all connections share. */
export interface ConnectionOwner {
  readonly handle: (arrival: IncomingRequest) => void;
  /** Bytes of the longest head. Node's server judges longer heads. */
  readonly headerSize: number;
  /** Milliseconds for a head, and for a connection between two requests. */
  readonly headersTimeout: number;
  readonly idle: number;
  readonly keepAliveLines: string;
  /** Node's server serves the connection from now on. `unread`: all bytes that did not become a request. */
  handOver(socket: HeardSocket, unread: Buffer): void;
  /** A head did not arrive in time, or its connection ended first. Node's server answers and closes it. */
  headFailed(socket: HeardSocket, fault: 'late' | 'cut'): void;
  closed(connection: PlainConnection): void;
}

/** The connection pauses once this many bytes wait. The last read may exceed this number. */
const MOST_HELD = 64 * 1024;

/** Requests that begin in one turn of the event loop. A thousand in one turn would delay all other clients. */
const AT_ONCE = 64;

/**
 * Milliseconds beyond the announced time. A client that uses all of the announced time then still finds the connection
 * open.
 */
const GRACE = 1_000;

/** Milliseconds for which an idle connection keeps the fields of its last request. They may hold a credential. */
const REMEMBERED = 1_000;

interface Before {
  readonly section: FieldSection;
  memory: SectionMemory | undefined;
}

function memoryOfKin({ changed, rawHeaders }: FieldSection, { memory }: Before): SectionMemory | undefined {
  if (changed === undefined) return undefined;
  return memory === undefined ? SectionMemory.of(rawHeaders) : memory.withValues(changed, rawHeaders);
}

/**
 * A plain-text HTTP/1.1 connection. It serves one request at a time and reads each completely. When the first request
 * of another kind arrives, Node's server takes the connection, with all later requests. No answer is owed at that time.
 */
export class PlainConnection implements Watched, ResponseOwner {
  readonly socket: HeardSocket;
  readonly #owner: ConnectionOwner;
  #answering: PlainResponse | undefined;
  /** Bytes that arrived during an answer, or the beginning of a head. */
  #held: Gathered | undefined;
  /** The fields of the last request. Undefined: there was none, or the connection was idle. */
  #before: Before | undefined;
  /** Bytes after the last request. Undefined: another request may follow. */
  #ignored: number | undefined;
  /** Undefined: the connection reads. */
  #unread: UnreadConnection | undefined;
  #isServing = false;
  /** The next requests begin in the next turn of the event loop. */
  #isResting = false;
  /** The connection is ending, or Node's server has it. */
  #isOver = false;
  #hasServed = false;
  /** Grows whenever the connection begins to wait for something else. */
  #changes = 0;
  /** The number of changes at the last check, and the time of the first check that saw this number. */
  #seen: { readonly changes: number; readonly since: number };

  constructor(socket: HeardSocket, owner: ConnectionOwner, now: number) {
    this.socket = socket;
    this.#owner = owner;
    this.#seen = { changes: 0, since: now };
    socket.hear = this.#hear;
    socket.on('end', this.#end).on('error', this.#broken).on('close', this.#closed).on('drain', this.#drained);
    socket.resume();
  }

  get keepAliveLines(): string {
    return this.#owner.keepAliveLines;
  }

  /** Whether nothing is owed in either direction. */
  get isIdle(): boolean {
    const isWaiting = this.#answering === undefined && this.#held === undefined;
    return this.#hasServed && isWaiting && this.socket.writableLength === 0;
  }

  ended(keeps: boolean): void {
    this.#answering = undefined;
    this.#changes++;
    if (keeps) {
      // The exchange that ends now first gives back its places.
      if (this.#held !== undefined) process.nextTick(this.#goOn);
      return;
    }
    this.#isOver = true;
    this.#held = undefined;
    this.#ignored ??= 0;
    this.socket.destroySoon();
  }

  /** A coarse clock, which costs requests nothing. A timeout may fire up to two intervals late. */
  check(now: number): void {
    if (this.#isOver) return;
    const { headersTimeout, idle } = this.#owner;
    this.#unread?.check(now);
    if (this.#answering !== undefined || this.socket.writableLength > 0 || this.#seen.changes !== this.#changes) {
      this.#seen = { changes: this.#changes, since: now };
    } else if (this.#hasServed && this.#held === undefined) {
      const waited = now - this.#seen.since;
      if (waited >= REMEMBERED) this.#before = undefined;
      if (waited >= idle + GRACE) this.socket.destroy();
    } else if (now - this.#seen.since >= headersTimeout) this.#fail('late');
  }

  readonly #hear = (piece: Buffer): void => {
    if (this.#ignored !== undefined) {
      this.#ignore(piece.length);
      return;
    }
    // More bytes of the same head are not a change. So a client that sends byte by byte has the timeout of one head.
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

  /**
   * RFC 9112 §9.6. The connection keeps reading, because a connection without a reader never reports that its client
   * left.
   */
  #ignore(bytes: number): void {
    this.#ignored = (this.#ignored ?? 0) + bytes;
    if (this.#ignored > MOST_IGNORED) this.#pause();
  }

  #hold(piece: Buffer): void {
    this.#held ??= new Gathered(() => true);
    this.#held.add(piece);
    if (this.#held.bytes > MOST_HELD) this.#pause();
  }

  #pause(): void {
    this.socket.pause();
    this.#unread ??= new UnreadConnection(this.socket, () => this.#owner.idle);
  }

  #resume(): void {
    this.#unread = undefined;
    this.socket.resume();
  }

  #serveHeld(): void {
    const held = this.#held?.whole;
    this.#held = undefined;
    if (held === undefined) return;
    if (this.#unread !== undefined) this.#resume();
    this.#serve(held);
  }

  /** Copies the unused bytes, because their memory is only lent. */
  #serve(bytes: Buffer): void {
    this.#isServing = true;
    const rest = this.#serveAll(bytes);
    this.#isServing = false;
    if (rest === bytes.length) return;
    if (this.#ignored !== undefined) this.#ignore(bytes.length - rest);
    else if (!this.#isOver) this.#hold(bytes.subarray(rest));
  }

  /** Returns the position of the first byte that did not become a request. */
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

  /**
   * Makes a memory only for a repeated section. A section that occurs once is faster to read without one. The memory
   * copies its texts. It may outlive the section, and a part of the section's text would keep an earlier credential.
   */
  #memoryOf(section: FieldSection): SectionMemory | undefined {
    const before = this.#before;
    if (before?.section === section) {
      before.memory ??= SectionMemory.of(section.rawHeaders.map(ownText));
      return before.memory;
    }
    const memory = before && memoryOfKin(section, before);
    this.#before = { section, memory };
    return memory;
  }

  readonly #restEnds = (): void => {
    this.#isResting = false;
    this.#goOn();
  };

  readonly #goOn = (): void => {
    if (this.#isFree && !this.#isServing) this.#serveHeld();
  };

  #handOver(unread: Buffer): void {
    const { socket } = this;
    this.#leave();
    this.#owner.handOver(socket, Buffer.from(unread));
  }

  #fail(fault: 'late' | 'cut'): void {
    this.#leave();
    this.#owner.headFailed(this.socket, fault);
  }

  /** Node's server owns the connection from now on. */
  #leave(): void {
    const { socket } = this;
    this.#isOver = true;
    this.#held = undefined;
    this.#before = undefined;
    socket.hear = undefined;
    socket.off('end', this.#end).off('error', this.#broken).off('close', this.#closed).off('drain', this.#drained);
    this.#owner.closed(this);
  }

  /** Like Node's server: a client that has ended its side gets nothing more. Held bytes may also be whole requests. */
  readonly #end = (): void => {
    if (this.#isFree && this.#held !== undefined) this.#fail('cut');
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
