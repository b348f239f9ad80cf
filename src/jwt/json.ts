import { decodeUtf8 } from '../base/utf8.ts';

/** JSON from an untrusted sender: one object, strict UTF-8, no member named twice, no deep nesting. */
export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 32;

/**
 * Undefined for anything else. A repeated name is rejected at every depth. RFC 8259 §4 does not say which of the two
 * counts, and a later reader may choose the other one (RFC 7519 §4).
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isPlain(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;

/** Scans text that is valid JSON. A string before a colon is a member name of the innermost object. */
function isPlain(text: string): boolean {
  const names: Set<string>[] = [];
  let [start, end] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      [start, end] = [at, endOfString(text, at)];
      at = end - 1;
    } else if (sign === '{' || sign === '[') names.push(new Set());
    else if (sign === '}' || sign === ']') names.pop();
    else if (sign === ':' && !addNew(names.at(-1), text.slice(start, end))) return false;
    if (names.length > MAX_DEPTH) return false;
  }
  return true;
}

function endOfString(text: string, start: number): number {
  STRING.lastIndex = start;
  STRING.test(text);
  return STRING.lastIndex;
}

/** `"a"` and `"\u0061"` are the same name. */
function addNew(names: Set<string> | undefined, literal: string): boolean {
  const name: string = literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1);
  if (names?.has(name)) return false;
  names?.add(name);
  return true;
}
