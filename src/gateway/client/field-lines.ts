import type { RawFields } from '../message/raw-fields.ts';

/**
 * The values of a field, one for each line. `raw` alternates names and values as an engine received them. `name` is in
 * lower case.
 */
export function fieldLines(raw: RawFields, name: string): readonly string[] {
  return raw.flatMap((value, index) =>
    index % 2 === 1 && nameAt(raw, index - 1) === name ? [value.toString('latin1')] : [],
  );
}

/** In lower case. */
export function nameAt(raw: RawFields, index: number): string {
  return raw[index]?.toString('latin1').toLowerCase() ?? '';
}
