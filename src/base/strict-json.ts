import { isUtf8 } from 'node:buffer';
import { type JsonNode, scanJson } from './json-scan.ts';
import { NotJson } from './json-tokens.ts';
import { ReadObject } from './read-object.ts';

export type StrictJson = JsonText | { readonly kind: 'fault'; readonly detail: string };

/**
 * Reads JSON that every reader understands in the same way (RFC 7493). RFC 8259 leaves open what a reader does with a
 * name that occurs twice, with invalid UTF-8, or with half of a surrogate pair, and readers differ. A fault says why
 * another reader could find another value.
 */
export function readStrictJson(bytes: Buffer): StrictJson {
  if (!isUtf8(bytes)) return { kind: 'fault', detail: 'it is not UTF-8' };
  try {
    return new JsonText(bytes, scanJson(bytes));
  } catch (error) {
    if (error instanceof NotJson) return { kind: 'fault', detail: error.message };
    throw error;
  }
}

/** A JSON text that was read. Its values are made when they are needed. */
class JsonText {
  readonly kind = 'json';
  readonly #bytes: Buffer;
  readonly #root: JsonNode;

  constructor(bytes: Buffer, root: JsonNode) {
    this.#bytes = bytes;
    this.#root = root;
  }

  get isArray(): boolean {
    return this.#root.kind === 'array';
  }

  /** Undefined: the value is no object. */
  get object(): ReadObject | undefined {
    return this.#root.kind === 'object' ? new ReadObject(this.#bytes, this.#root) : undefined;
  }

  /** The whole value. */
  get value(): unknown {
    return JSON.parse(this.#bytes.toString('utf8'));
  }
}
