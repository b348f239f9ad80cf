import type { JsonNode } from './json-scan.ts';
import { stringIn, wordIn } from './json-tokens.ts';

/** An object in a JSON text that was read. A member is made when it is needed. */
export class ReadObject {
  readonly #bytes: Buffer;
  readonly #node: JsonNode;

  constructor(bytes: Buffer, node: JsonNode) {
    this.#bytes = bytes;
    this.#node = node;
  }

  /** Decoded, in the order of the text. Empty for an object that is nested too deep to be kept. */
  get names(): readonly string[] {
    return this.#node.names ?? [];
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** Another object, or a value of JavaScript. Undefined: there is no such member. */
  get(name: string): unknown {
    const node = this.#node.values[this.names.indexOf(name)];
    if (node === undefined) return undefined;
    if (node.kind === 'object') return new ReadObject(this.#bytes, node);
    if (node.kind === 'string') return stringIn(this.#bytes, node.start, node.end);
    return node.kind === 'word' ? wordIn(this.#bytes, node.start, node.end) : this.#valueOf(node);
  }

  /** All of it, as JSON.parse makes it. */
  get value(): Readonly<Record<string, unknown>> {
    return this.#valueOf(this.#node) as Readonly<Record<string, unknown>>;
  }

  #valueOf({ start, end }: JsonNode): unknown {
    return JSON.parse(this.#bytes.toString('utf8', start, end));
  }
}
