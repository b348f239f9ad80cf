import { createRequire } from 'node:module';
import { lazily } from '../../base/lazily.ts';

const require = createRequire(import.meta.url);

/** Whether a text has a part that fits; in time linear in its length. */
export type LinearPattern = (text: string) => boolean;

export interface PatternFault {
  readonly kind: 'fault';
  readonly message: string;
  readonly hint: string;
}

/** Loaded for the first pattern of a file: a quarter of a megabyte that few files need. */
const re2 = lazily(() => (require('re2js') as typeof import('re2js')).RE2JS);

/**
 * Compiles a pattern of RE2, as CEL promises it. JavaScript's RegExp goes back and tries again, and 28 characters of a
 * client could hold the gateway for seconds.
 */
export function compileLinearPattern(source: string): LinearPattern | PatternFault {
  try {
    const compiled = re2().compile(source);
    return (text) => compiled.test(text);
  } catch (error) {
    return { kind: 'fault', message: `RE2 does not accept the pattern \`${source}\`: ${inWords(error)}`, hint: HINT };
  }
}

const HINT =
  'RE2 has no lookahead, lookbehind, backreference or \\uXXXX (https://github.com/google/re2/wiki/Syntax); for what must not match, add `&& !….matches("…")`';

/** The library's message, without its preamble. */
function inWords(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'it is no pattern';
}
