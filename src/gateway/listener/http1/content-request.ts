import { EventEmitter } from 'node:events';
import type { ClientConnection, ClientRequest } from '../../client/client-message.ts';
import type { SectionMemory } from '../../client/section-memory.ts';
import type { PlainHead } from './plain-head.ts';
import { NO_HEADERS } from './plain-request.ts';

const EMPTY = Buffer.alloc(0);

/** A request whose whole content arrived with its head. A reader gets the content with events, as from a stream. */
export class ContentRequest extends EventEmitter implements ClientRequest {
  readonly httpVersion = '1.1';
  readonly complete = true;
  readonly headers = NO_HEADERS;
  readonly method: string;
  readonly rawHeaders: readonly string[];
  readonly memory: SectionMemory | undefined;
  readonly socket: ClientConnection;
  /** The content that no reader has received yet, in order. */
  readonly #left: Buffer[];
  #hasReader = false;
  #isFlowing = false;
  #isDue = false;
  #isOver = false;

  /** `content`: it is kept, so it must be a copy of bytes that were lent. */
  constructor(
    { method, section }: PlainHead,
    content: Buffer,
    memory: SectionMemory | undefined,
    socket: ClientConnection,
  ) {
    super();
    this.method = method;
    this.rawHeaders = section.rawHeaders;
    this.memory = memory;
    this.socket = socket;
    this.#left = content.length === 0 ? [] : [content];
  }

  get whole(): Buffer | undefined {
    return this.#hasReader ? undefined : (this.#left[0] ?? EMPTY);
  }

  pause(): void {
    this.#isFlowing = false;
  }

  /** The content follows in the next tick: its reader may still add listeners. */
  resume(): void {
    this.#isFlowing = true;
    this.#hasReader = true;
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    process.nextTick(flow, this);
  }

  unshift(chunk: Buffer): void {
    this.#left.unshift(chunk);
  }

  flow(): void {
    this.#isDue = false;
    while (this.#isFlowing && this.#left.length > 0) this.emit('data', this.#left.shift());
    if (!this.#isFlowing || this.#isOver) return;
    this.#isOver = true;
    this.emit('end');
  }
}

function flow(request: ContentRequest): void {
  request.flow();
}
