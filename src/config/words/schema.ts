import type { TSchema } from 'typebox';
import * as Type from 'typebox';

/**
 * The types of both configuration files. A schema here declares three things at once: the form of a YAML value, the value that
 * the program receives (durations as milliseconds, sizes as bytes, addresses as parts), and the text in the reference. `unit`
 * names the conversion in `apply-defaults.ts`.
 */
export const units = ['duration', 'size', 'address'] as const;
export type Unit = (typeof units)[number];

/** Milliseconds in the program; `250ms`, `30s`, `5m`, `1h`, `7d` in the file. */
export function duration(fallback?: string, description?: string) {
  return Type.Unsafe<number>(
    annotate({ type: 'string', pattern: '^[0-9]+(ms|s|m|h|d)$', unit: 'duration' }, fallback, description),
  );
}

/** Milliseconds, or `none`: no limit. */
export function durationOrNone(fallback?: string, description?: string) {
  return Type.Unsafe<number | 'none'>(
    annotate({ type: 'string', pattern: '^(none|[0-9]+(ms|s|m|h|d))$', unit: 'duration' }, fallback, description),
  );
}

/** Bytes in the program; `512B`, `64KiB`, `1MiB`, `5GiB` in the file. */
export function size(fallback?: string, description?: string) {
  return Type.Unsafe<number>(
    annotate({ type: 'string', pattern: '^[0-9]+(B|KiB|MiB|GiB)$', unit: 'size' }, fallback, description),
  );
}

/** Bytes, or `none`: no limit. */
export function sizeOrNone(fallback?: string, description?: string) {
  return Type.Unsafe<number | 'none'>(
    annotate({ type: 'string', pattern: '^(none|[0-9]+(B|KiB|MiB|GiB))$', unit: 'size' }, fallback, description),
  );
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Host and port in the program; `127.0.0.1:8080` or `[::1]:8080` in the file. Port 0 means any free port. */
export function address(fallback?: string, description?: string) {
  return Type.Unsafe<Address>(
    annotate(
      { type: 'string', pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[^:\\[\\]]+):[0-9]{1,5}$', unit: 'address' },
      fallback,
      description,
    ),
  );
}

export function text(fallback?: string, description?: string) {
  return Type.String(annotate({ minLength: 1 }, fallback, description));
}

/** A value of any form, unchanged. */
export function anything(description?: string) {
  return Type.Unsafe<unknown>(annotate({}, undefined, description));
}

export function flag(fallback: boolean, description?: string) {
  return Type.Boolean(annotate({}, fallback, description));
}

export function count(fallback: number | undefined, description?: string, minimum = 1) {
  return Type.Integer(annotate({ minimum }, fallback, description));
}

/** Entries of a cache. More than the maximum would need gigabytes. */
export function places(fallback: number, description: string) {
  return Type.Integer(annotate({ minimum: 1, maximum: 10_000_000 }, fallback, description));
}

/** A fraction: 1 is the whole. */
export function share(fallback: number, description?: string) {
  return Type.Number(annotate({ minimum: 0.01, maximum: 1 }, fallback, description));
}

/** 0 means any free port. */
export function port(description?: string) {
  return Type.Integer(annotate({ minimum: 0, maximum: 65_535 }, undefined, description));
}

export function oneOf<const Words extends readonly string[]>(
  words: Words,
  fallback?: Words[number],
  description?: string,
) {
  return Type.Unsafe<Words[number]>(annotate({ type: 'string', enum: [...words] }, fallback, description));
}

export function list<Item extends TSchema>(item: Item, fallback?: readonly unknown[], description?: string) {
  return Type.Array(item, annotate({}, fallback, description));
}

/** An object whose keys are all known: any other key in the file is an error. */
export function record<Properties extends Record<string, TSchema>>(
  properties: Properties,
  fallback?: object,
  description?: string,
) {
  return Type.Object(properties, annotate({ additionalProperties: false }, fallback, description));
}

/** An object whose keys the user chooses. */
export function named<Value extends TSchema>(value: Value, fallback?: object, description?: string) {
  return Type.Unsafe<Record<string, Type.Static<Value>>>(
    annotate({ type: 'object', additionalProperties: value, keys: 'names' }, fallback, description),
  );
}

function annotate<Options extends object>(options: Options, fallback: unknown, description: string | undefined) {
  return {
    ...options,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === undefined ? {} : { description }),
  };
}
