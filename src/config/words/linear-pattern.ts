import { createRequire } from 'node:module';
import { lazily } from '../../base/lazily.ts';

const require = createRequire(import.meta.url);

/** True if a part of the text matches, in time linear in its length. */
export type LinearPattern = (text: string) => boolean;

export interface PatternFault {
  readonly kind: 'fault';
  readonly message: string;
  readonly hint: string;
}

/** Loaded with the first pattern of a file: the library has a quarter of a megabyte, and few files need it. */
const re2 = lazily(() => (require('re2js') as typeof import('re2js')).RE2JS);

/**
 * Compiles a pattern of RE2, the syntax of CEL. JavaScript's RegExp uses backtracking, so 28 characters of a client could block
 * the gateway for seconds.
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
  'RE2 has no lookahead, lookbehind, backreference or \\uXXXX (https://github.com/google/re2/wiki/Syntax); for text that must not match, add `&& !….matches("…")`';

/** The library's message, without its prefix. */
function inWords(error: unknown): string {
  return error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : 'this is not a pattern';
}
