import { LastMade } from '../../base/last-made.ts';
import type { Lines } from '../message/lines.ts';
import { type HeadFields, type Origin, readFields } from '../message/request-head.ts';

/**
 * Results for a header section. Most clients send the same section with each request of a connection. The memory
 * contains no decision. The connection drops it when another section arrives, and when the connection is idle.
 */
export class SectionMemory {
  readonly fields: HeadFields;
  /** The lines for the upstream. */
  readonly sent = new LastMade<Lines>();
  readonly #origin = new LastMade<Origin>();

  constructor(rawHeaders: readonly string[]) {
    this.fields = readFields(rawHeaders);
  }

  /**
   * `reader`: how this generation reads the origin. The connection's peer never changes, so the rest depends only on
   * the section.
   */
  origin(reader: unknown, read: () => Origin): Origin {
    return this.#origin.for([reader], read);
  }
}
