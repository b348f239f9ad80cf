import type { IncomingHttpHeaders } from 'node:http';
import type { ClientConnection, ClientRequest } from '../../client/client-message.ts';
import type { SectionMemory } from '../../client/section-memory.ts';
import type { PlainHead } from './plain-head.ts';

/** Read only while content is still to come. */
export const NO_HEADERS: IncomingHttpHeaders = {};

/** A request without content: after its head nothing more arrives. */
export class PlainRequest implements ClientRequest {
  readonly httpVersion = '1.1';
  readonly complete = true;
  readonly headers = NO_HEADERS;
  readonly method: string;
  readonly rawHeaders: readonly string[];
  readonly memory: SectionMemory | undefined;
  readonly socket: ClientConnection;

  constructor({ method, section }: PlainHead, memory: SectionMemory | undefined, socket: ClientConnection) {
    this.method = method;
    this.rawHeaders = section.rawHeaders;
    this.memory = memory;
    this.socket = socket;
  }

  on(): this {
    return this;
  }

  off(): this {
    return this;
  }

  pause(): void {}

  resume(): void {}

  unshift(): void {}
}
