import { parseOperation } from '../../config/words/mcp-operation.ts';
import { namedMethods } from '../mcp/named-methods.ts';
import type { CompiledFile } from './compiled-file.ts';

/**
 * Operations that together match every rule of both files. Each key gives one, with a text in place of its `*`. Each
 * method gives one more, which only the wider rules of the method match.
 */
export function operationSamples(sides: readonly CompiledFile[]): readonly string[] {
  const keys = sides.flatMap(({ config }) =>
    config.routes.flatMap(({ mcp }) => [...Object.keys(mcp?.scope ?? {}), ...(mcp?.deny ?? [])]),
  );
  const other = otherThan(keys);
  return [...new Set([...keys.flatMap((key) => samplesOf(key, other)), `tools/call ${other}`, other, 'ping'])];
}

/** A text that continues no key: `delete_*` and `delete_o*` need different samples. */
function otherThan(keys: readonly string[]): string {
  const beginnings = keys.flatMap((key) => ['', `${key.split(' ', 1)[0]} `, ...wildcardsOf(key)]);
  const continued = beginnings.flatMap((text) =>
    keys.flatMap((key) => (key.startsWith(text) ? [key.slice(text.length, text.length + 1)] : [])),
  );
  return `${[...'oqzxjkvwyu0123456789'].find((letter) => !continued.includes(letter)) ?? 'o'}ther`;
}

/** The text before each `*`. */
function wildcardsOf(key: string): readonly string[] {
  return [...key.matchAll(/\*/g)].map(({ index }) => key.slice(0, index));
}

function samplesOf(key: string, other: string): readonly string[] {
  const parsed = parseOperation(key);
  if (parsed.kind === 'fault') return [];
  const filled = key.replace(/\*(?= |$)/g, other);
  const [method = ''] = filled.split(' ', 1);
  return namedMethods.has(method) ? [...(parsed.name === undefined ? [] : [filled]), `${method} ${other}`] : [filled];
}
