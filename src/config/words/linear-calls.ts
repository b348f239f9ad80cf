import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js';
import { compileLinearPattern, type LinearPattern, type PatternFault } from './linear-pattern.ts';

type Cel = typeof import('@marcbachmann/cel-js');

/** A call of a function of CEL: by name, or on a value (`text.matches("…")`). */
interface Call {
  readonly name: string;
  readonly args: readonly ASTNode[];
  rename(name: string): void;
}

/** In characters; longer than any that is meant. */
const LONGEST_DURATION = 64;

/** Library functions that take more than linear time, with the names of our replacements. */
const replaced: ReadonlyMap<string, string> = new Map([
  ['matches', 'linearMatches'],
  ['duration', 'boundedDuration'],
]);

/**
 * Parses an expression that the library has found right, so that no text of a client takes more than linear time:
 * `matches` goes by RE2, and `duration`, which the library reads in cubic time, takes no long text. The library lets
 * no function be replaced, so the calls are renamed in the tree that it shows.
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

/** An error of the evaluation is what the library expects of a function, and what makes a condition false. */
function boundedDuration(cel: Cel): (text: string) => unknown {
  const duration = cel.parse('duration(text)');
  return (text) => {
    if (text.length > LONGEST_DURATION) throw new RangeError('a duration is shorter');
    return duration({ text });
  };
}

/** Once, when the file is loaded; a pattern that only a request makes could be made by the client. */
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
  message: 'the pattern of `matches` is not a text in quotes',
  hint: 'write the pattern out, such as request.path.matches("^/v[12]/"); to compare with a value of the request, use startsWith, endsWith, contains or ==',
};

/** All calls of a tree, those inside of macros (`list.exists(x, …)`) too: their arguments are the nodes that run. */
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
