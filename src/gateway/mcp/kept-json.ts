/** JSON.parse, with the text of each number (ECMAScript 2026, JSON.parse source text access). */
type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown;

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Reads JSON so that `JSON.stringify` writes every number as it came. Throws if the text is not JSON. */
export function parseKeptJson(text: string): unknown {
  const keep: Reviver = (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value;
  return JSON.parse(text, keep as (this: unknown, name: string, value: unknown) => unknown);
}
