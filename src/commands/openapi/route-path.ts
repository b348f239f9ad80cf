import { parsePathPattern, pathShape } from '../../config/words/path-pattern.ts';
import { readTemplate, type Template } from './template.ts';

export type RoutePath =
  | {
      readonly kind: 'path';
      readonly template: Template;
      readonly path: string;
      readonly shape: string;
      readonly notes: readonly string[];
    }
  | { readonly kind: 'fault'; readonly template: Template; readonly message: string };

/** Converts a path template (OpenAPI 3.1 §4.8.8) to the path of a route, whose parameters are whole segments. */
export function routePath(prefix: string, text: string): RoutePath {
  const template = readTemplate(prefix + text);
  const notes: string[] = [];
  const used = new Set<string>();
  const pieces = text.split('/').map((piece) => {
    const names = [...piece.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
    if (names.length === 0) return piece;
    if (`{${names[0]}}` !== piece) notes.push(`the segment ${piece} became one parameter, which matches any segment`);
    return `{${unused(names.join('_'), used)}}`;
  });
  const path = `${prefix}${pieces.join('/')}`;
  const pattern = parsePathPattern(path);
  if (pattern.kind === 'fault') return { kind: 'fault', template, message: pattern.message };
  return { kind: 'path', template, path, shape: pathShape(pattern), notes };
}

/** A name has letters, digits and `_`, and occurs once in a path. */
function unused(name: string, used: Set<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  let free = plain;
  for (let count = 2; used.has(free); count++) free = `${plain}_${count}`;
  used.add(free);
  return free;
}
