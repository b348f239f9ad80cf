import { LastMade } from '../../base/last-made.ts';
import { type HeadFields, type Origin, readFields, withValues } from '../message/request-head.ts';
import { type SentLines, sentWithValues } from './sent-lines.ts';

/**
 * Results for a header section. Most clients send the same section with each request of a connection, or differ only in
 * a few values. The memory contains no decision. The connection drops it when a section with other names arrives, and
 * when the connection is idle.
 */
export class SectionMemory {
  readonly fields: HeadFields;
  /** The lines for the upstream. They depend on the credential only if the upstream gets it. */
  readonly sent: LastMade<SentLines>;
  readonly #origin: LastMade<Origin>;

  static of(rawHeaders: readonly string[]): SectionMemory {
    const fields = readFields(rawHeaders);
    const { authorization } = fields;
    const kept = authorization && { ...authorization, parsed: new LastMade<unknown>() };
    return new SectionMemory({ ...fields, authorization: kept }, new LastMade(), new LastMade());
  }

  private constructor(fields: HeadFields, sent: LastMade<SentLines>, origin: LastMade<Origin>) {
    this.fields = fields;
    this.sent = sent;
    this.#origin = origin;
  }

  /** For the same section with other values. `changed`: where `rawHeaders` has their names. */
  withValues(changed: readonly number[], rawHeaders: readonly string[]): SectionMemory {
    const fields = withValues(this.fields, changed, rawHeaders);
    if (fields === undefined) return SectionMemory.of(rawHeaders);
    if (!this.#keepsOrigin(fields, changed)) return new SectionMemory(fields, new LastMade(), new LastMade());
    const sent = this.sent.changed((lines) => sentWithValues(lines, fields, changed));
    return new SectionMemory(fields, sent, this.#origin);
  }

  /** The connection's peer never changes. A proxy's own fields may say something else with each request. */
  #keepsOrigin({ fields }: HeadFields, changed: readonly number[]): boolean {
    return this.#origin.last?.isProxied === false || changed.every((at) => fields[at] === 'authorization');
  }

  /**
   * `reader`: how this generation reads the origin. The connection's peer never changes, so the rest depends only on
   * the section, and never on the credential.
   */
  origin(reader: unknown, read: () => Origin): Origin {
    return this.#origin.for([reader], read);
  }
}
