import type { Schema } from '../schema/input-schema.ts';
import type { Finding, Pointer } from '../words/problem.ts';

/** The values without the parts that the schema rejects, so that the checks can judge the rest. */
export interface PartialConfig {
  readonly values: Record<string, unknown>;
  /** Omitted keys of maps and indexes of lists. They exist, but are not checked. */
  readonly left: readonly Pointer[];
}

/**
 * Omits every faulty route, client, upstream and authorization server, and every other faulty top-level value. Undefined if a
 * value that the checks need is wrong or missing.
 */
export function leaveOutFaults(
  values: unknown,
  schema: Schema,
  findings: readonly Finding[],
): PartialConfig | undefined {
  const left = findings.map(({ pointer }) => pointer.slice(0, isCollection(schema, pointer[0]) ? 2 : 1));
  if (left.some((pointer) => pointer.length === 0 || isIndispensable(schema, pointer, values))) return undefined;
  const sound = shallowCopy(values as Record<string, unknown>);
  for (const pointer of left) leaveOut(sound, pointer);
  return { values: sound, left };
}

function isCollection(schema: Schema, key: string | number | undefined): boolean {
  const of = schema.properties?.[String(key)];
  return of?.items?.type === 'object' || typeof of?.additionalProperties === 'object';
}

/**
 * True if the checks need the key. A required key has no default. An unknown key may be a misspelt key that the checks need.
 * Then their findings would be noise, so they do not run.
 */
function isIndispensable(schema: Schema, [key, ...rest]: Pointer, values: unknown): boolean {
  if (rest.length > 0 || key === 'version') return false;
  const of = schema.properties?.[String(key)];
  if (of === undefined) return holdsMaps((values as Record<string, unknown>)[String(key)]);
  return isCollection(schema, key) || (of.default === undefined && (schema.required ?? []).includes(String(key)));
}

function holdsMaps(value: unknown): boolean {
  return isNested(value) && Object.values(value).some(isNested);
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function shallowCopy(values: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.assign(Object.create(null), values);
  for (const [key, value] of Object.entries(copy)) {
    if (Array.isArray(value)) copy[key] = [...value];
    else if (typeof value === 'object' && value !== null) copy[key] = Object.assign(Object.create(null), value);
  }
  return copy;
}

function leaveOut(sound: Record<string, unknown>, [key, member]: Pointer): void {
  if (member === undefined) delete sound[String(key)];
  else {
    const collection = sound[String(key)] as Record<string | number, unknown>;
    if (Array.isArray(collection)) collection[Number(member)] = undefined;
    else delete collection[member];
  }
}
