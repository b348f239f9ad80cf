import { parseOperation } from '../../config/words/mcp-operation.ts';
import { namedMethods } from '../mcp/named-methods.ts';
import type { CompiledFile } from './compiled-file.ts';

/** A text that no rule names. */
const OTHER = 'other';

/**
 * Operations that together match every rule of both files. Each key gives one, with a text in place of its `*`. Each
 * method gives one more, which only the wider rules of the method match.
 */
export function operationSamples(sides: readonly CompiledFile[]): readonly string[] {
  const keys = sides.flatMap(({ config }) =>
    config.routes.flatMap(({ mcp }) => [...Object.keys(mcp?.scope ?? {}), ...(mcp?.deny ?? [])]),
  );
  return [...new Set([...keys.flatMap(samplesOf), `tools/call ${OTHER}`, 'ping'])];
}

function samplesOf(key: string): readonly string[] {
  const parsed = parseOperation(key);
  if (parsed.kind === 'fault') return [];
  const filled = key.replace(/\*(?= |$)/g, OTHER);
  const [method = ''] = filled.split(' ', 1);
  return namedMethods.has(method) ? [...(parsed.name === undefined ? [] : [filled]), `${method} ${OTHER}`] : [filled];
}
