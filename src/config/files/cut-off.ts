import type { Problem } from '../words/problem.ts';

/**
 * Detects an incomplete file. Half of a YAML file is valid YAML, and may be less strict than the whole. A file that is cut
 * within a line has no line break at its end. A map in braces, such as JSON, needs its closing brace, so it cannot be cut
 * unnoticed.
 */
export function cutOff(text: string): Pick<Problem, 'line' | 'column' | 'message' | 'hint'> | undefined {
  if (/[\n\r]$/.test(text) || text.trim() === '' || text.trimStart().startsWith('{')) return undefined;
  const lines = text.split(/\r\n|\n|\r/);
  return {
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    message: 'the file does not end with a line break, so it may be incomplete',
    hint: 'if the file is complete, add a line break to its end: `echo >> FILE`; in a ConfigMap, write `|`, not `|-`',
  };
}
