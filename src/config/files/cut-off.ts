import type { Problem } from '../words/problem.ts';

/**
 * Whether a file may be the beginning of one: half of a YAML file is YAML, and may ask for less than the whole. What is cut
 * within a line has no line break at its end. A map in braces, as JSON is, says itself where it ends.
 */
export function cutOff(text: string): Pick<Problem, 'line' | 'column' | 'message' | 'hint'> | undefined {
  if (/[\n\r]$/.test(text) || text.trim() === '' || text.trimStart().startsWith('{')) return undefined;
  const lines = text.split(/\r\n|\n|\r/);
  return {
    line: lines.length,
    column: (lines.at(-1)?.length ?? 0) + 1,
    message: 'the file does not end with a line break, so it may be incomplete',
    hint: 'look whether it is whole, and end its last line with a line break: `echo >> FILE`; in a ConfigMap `|`, not `|-`',
  };
}
