import { LastMade } from '../../base/last-made.ts';
import type { Lines } from '../message/lines.ts';
import { type HeadFields, type Origin, readFields } from '../message/request-head.ts';

/**
 * What was found out of a header section: most clients send the same one with each request of a connection. No decision is
 * remembered. The connection drops it when another section comes, and when it is idle.
 */
export class SectionMemory {
  readonly fields: HeadFields;
  /** For the upstream. */
  readonly sent = new LastMade<Lines>();
  readonly #origin = new LastMade<Origin>();

  constructor(rawHeaders: readonly string[]) {
    this.fields = readFields(rawHeaders);
  }

  /** `reader`: how this generation reads it. The peer of a connection stays the same, so the section decides the rest. */
  origin(reader: unknown, read: () => Origin): Origin {
    return this.#origin.for([reader], read);
  }
}
