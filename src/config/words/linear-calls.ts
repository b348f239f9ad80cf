import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js';
import { compileLinearPattern, type LinearPattern, type PatternFault } from './linear-pattern.ts';

type Cel = typeof import('@marcbachmann/cel-js');

/** A call of a CEL function: by name, or on a value (`text.matches("…")`). */
interface Call {
  readonly name: string;
  readonly args: readonly ASTNode[];
  rename(name: string): void;
}

/** Characters: longer than any sensible duration. */
const LONGEST_DURATION = 64;

/** Library functions that need more than linear time → our replacements. */
const replaced: ReadonlyMap<string, string> = new Map([
  ['matches', 'linearMatches'],
  ['duration', 'boundedDuration'],
]);

/**
 * Parses a valid expression so that no text of a client takes more than linear time. `matches` uses RE2. `duration` accepts no
 * long text, because the library reads it in cubic time. The library does not allow replacing functions, so the calls are
 * renamed in its tree.
 */
export function parseLinear(cel: Cel, base: Environment, text: string): ParseResult | PatternFault {
  const parsed = base.parse(text);
  const calls = callsIn(parsed.ast).filter(({ name }) => replaced.has(name));
  if (calls.length === 0) return parsed;
  const patterns = compilePatterns(calls.filter(({ name }) => name === 'matches'));
  if ('kind' in patterns) return patterns;
  const linear = base
    .clone()
    .registerFunction('string.linearMatches(string): bool', (subject, source) => patterns.get(source)?.(subject))
    .registerFunction('boundedDuration(string): google.protobuf.Duration', boundedDuration(cel))
    .parse(text);
  for (const call of callsIn(linear.ast)) call.rename(replaced.get(call.name) ?? call.name);
  const { valid, error } = linear.check();
  if (!valid) throw error;
  return linear;
}

/** The library expects an error from a function, and then the condition is false. */
function boundedDuration(cel: Cel): (text: string) => unknown {
  const duration = cel.parse('duration(text)');
  return (text) => {
    if (text.length > LONGEST_DURATION) throw new RangeError('a duration is shorter');
    return duration({ text });
  };
}

/**
 * Compiles each pattern once, when the file is loaded. A pattern that depends on the request is rejected, because a client
 * could choose it.
 */
function compilePatterns(calls: readonly Call[]): ReadonlyMap<string, LinearPattern> | PatternFault {
  const patterns = new Map<string, LinearPattern>();
  for (const { args } of calls) {
    const [written] = args;
    if (written?.op !== 'value' || typeof written.args !== 'string') return NO_TEXT;
    const pattern = compileLinearPattern(written.args);
    if (typeof pattern !== 'function') return pattern;
    patterns.set(written.args, pattern);
  }
  return patterns;
}

const NO_TEXT: PatternFault = {
  kind: 'fault',
  message: 'the pattern of `matches` must be a text in quotes, and not an expression',
  hint: 'write the pattern in quotes, such as request.path.matches("^/v[12]/"); to compare with a value of the request, use startsWith, endsWith, contains or ==',
};

/** All calls of a tree, including those inside macros (`list.exists(x, …)`): their arguments are the nodes that run. */
function callsIn(part: unknown): readonly Call[] {
  if (Array.isArray(part)) return part.flatMap(callsIn);
  if (!isNode(part)) return [];
  const inside = callsIn(part.args);
  if (part.op !== 'call' && part.op !== 'rcall') return inside;
  const { args } = part;
  const rename = (name: string): void => {
    args[0] = name;
  };
  return [{ name: args[0], args: part.op === 'call' ? part.args[1] : part.args[2], rename }, ...inside];
}

function isNode(part: unknown): part is ASTNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
}
