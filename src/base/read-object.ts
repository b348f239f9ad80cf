import type { JsonNode } from './json-scan.ts';

/** An object in a JSON text that was read. A member is made when it is needed. */
export class ReadObject {
  readonly #text: string;
  readonly #node: JsonNode;

  constructor(text: string, node: JsonNode) {
    this.#text = text;
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
    if (node.kind === 'object') return new ReadObject(this.#text, node);
    return node.text ?? this.#valueOf(node);
  }

  /** All of it, as JSON.parse makes it. */
  get value(): Readonly<Record<string, unknown>> {
    return this.#valueOf(this.#node) as Readonly<Record<string, unknown>>;
  }

  #valueOf({ start, end }: JsonNode): unknown {
    return JSON.parse(this.#text.slice(start, end));
  }
}
