import { LastMade } from '../../base/last-made.ts';
import type { Lines } from '../message/lines.ts';
import { type HeadFields, type Origin, readFields, withAuthorization } from '../message/request-head.ts';

/**
 * Results for a header section. Most clients send the same section with each request of a connection, or differ only in
 * the credential. The memory contains no decision. The connection drops it when another section arrives, and when the
 * connection is idle.
 */
export class SectionMemory {
  readonly fields: HeadFields;
  /** The lines for the upstream. They depend on the credential only if the upstream gets it. */
  readonly sent: LastMade<Lines>;
  readonly #origin: LastMade<Origin>;

  static of(rawHeaders: readonly string[]): SectionMemory {
    const fields = readFields(rawHeaders);
    const { authorization } = fields;
    const kept = authorization && { ...authorization, parsed: new LastMade<unknown>() };
    return new SectionMemory({ ...fields, authorization: kept }, new LastMade(), new LastMade());
  }

  private constructor(fields: HeadFields, sent: LastMade<Lines>, origin: LastMade<Origin>) {
    this.fields = fields;
    this.sent = sent;
    this.#origin = origin;
  }

  /** For the same section with a different value of its one Authorization line. `index`: the position of its name. */
  withCredential(index: number, value: string): SectionMemory {
    return new SectionMemory(withAuthorization(this.fields, index, value), this.sent, this.#origin);
  }

  /**
   * `reader`: how this generation reads the origin. The connection's peer never changes, so the rest depends only on
   * the section, and never on the credential.
   */
  origin(reader: unknown, read: () => Origin): Origin {
    return this.#origin.for([reader], read);
  }
}
