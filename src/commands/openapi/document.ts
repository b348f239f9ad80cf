import { type Document, isScalar, type Pair, parseDocument, visit } from 'yaml';

/** An OpenAPI document comes from elsewhere: every member may be absent or of any type. */
export type Loose = Readonly<Record<string, unknown>>;

export interface OpenApi {
  readonly root: Loose;
  /** Follows local references; undefined if a reference is broken or leaves the document. */
  readonly follow: (value: unknown) => Loose | undefined;
}

const MOST_REFERENCES = 16;

/** A text says why the document cannot be used. */
export function readDocument(text: string): OpenApi | string {
  const root = parseText(text);
  if (typeof root === 'string') return root;
  if (root.swagger !== undefined) return 'this is Swagger 2.0: convert it to OpenAPI 3 first';
  if (!/^3\./.test(String(root.openapi))) return 'this is not an OpenAPI 3 document: it has no `openapi: 3.…`';
  return { root, follow: (value) => follow(root, value) };
}

function follow(root: Loose, value: unknown): Loose | undefined {
  let found = objectOr(value);
  for (let left = MOST_REFERENCES; found !== undefined && typeof found.$ref === 'string'; left--) {
    if (left === 0) return undefined;
    found = lookUp(root, found.$ref);
  }
  return found;
}

/** Resolves a JSON pointer (RFC 6901) within the document. */
function lookUp(root: Loose, reference: string): Loose | undefined {
  if (!reference.startsWith('#/')) return undefined;
  const names = reference.slice(2).split('/').map(unescapeName);
  let found: unknown = root;
  for (const name of names) {
    const holder = found;
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return undefined;
    found = (holder as Loose)[name];
  }
  return objectOr(found);
}

function unescapeName(name: string): string {
  const plain = name.replaceAll('~1', '/').replaceAll('~0', '~');
  return /%(?![0-9A-Fa-f]{2})/.test(plain) ? plain : decoded(plain);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function objectOr(value: unknown): Loose | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : undefined;
}

export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(objectOr(value) ?? {});
}

export function listOr(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The check for equal keys compares each key with all others of its map, and a map has as many keys as paths. So it is off. */
const OPTIONS = { logLevel: 'error', uniqueKeys: false } as const;

function parseText(text: string): Loose | string {
  try {
    const document = parseDocument(text, OPTIONS);
    const fault = document.errors[0]?.message ?? repeatedKey(document);
    return fault === undefined ? (objectOr(document.toJS()) ?? 'this is not an OpenAPI document') : notRead(fault);
  } catch (error) {
    return notRead((error as Error).message);
  }
}

function notRead(fault: string): string {
  return `this cannot be read as JSON or YAML: ${fault.split('\n')[0]}`;
}

/** If two keys are equal, the requirements of one would be lost. */
function repeatedKey(document: Document): string | undefined {
  let found: string | undefined;
  visit(document, {
    Map(_, { items }) {
      found = firstTwice(items);
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  return found;
}

function firstTwice(items: readonly Pair[]): string | undefined {
  const names = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key)) return 'a key must be a plain word';
    const name = String(key.value ?? '');
    if (names.has(name)) return `the key ${name} occurs twice in the same map`;
    names.add(name);
  }
  return undefined;
}
