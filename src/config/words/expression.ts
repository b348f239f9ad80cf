import { createRequire } from 'node:module';
import type { Environment } from '@marcbachmann/cel-js';
import { lazily } from '../../base/lazily.ts';
import { celValue } from './cel-values.ts';
import { parseLinear } from './linear-calls.ts';

const require = createRequire(import.meta.url);

/** A compiled `when`. A missing key, or any other error of the evaluation, counts as false. */
export type Expression = (variables: { request: object; identity: object }) => boolean;

export interface ExpressionFault {
  readonly kind: 'fault';
  readonly message: string;
  /** A remedy, if it needs more than the syntax of expressions. */
  readonly hint?: string;
}

/** Loaded for the first `when`. */
const library = lazily(() => require('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js'));

const environment = lazily(
  (): Environment =>
    new (library().Environment)().registerVariable('request', 'map').registerVariable('identity', 'map'),
);

/**
 * Compiles a CEL expression over `request` and `identity`. Returns a fault if the text is not an expression, or does not give true
 * or false.
 */
export function compileExpression(text: string): Expression | ExpressionFault {
  try {
    const { valid, type, error } = environment().check(text);
    if (!valid) return fault(error);
    if (type !== 'bool' && type !== 'dyn')
      return { kind: 'fault', message: `it gives a value of type ${type}, not true or false` };
    const evaluate = parseLinear(library(), environment(), text);
    if (typeof evaluate !== 'function') return evaluate;
    return ({ request, identity }) =>
      isTrue(() => evaluate({ request: celValue(request), identity: celValue(identity) }));
  } catch (error) {
    return fault(error);
  }
}

function isTrue(evaluate: () => unknown): boolean {
  try {
    return evaluate() === true;
  } catch {
    return false;
  }
}

/** The first line of the library's message says what is wrong. The rest shows the place. */
function fault(error: unknown): ExpressionFault {
  if (error instanceof Error) {
    return { kind: 'fault', message: error.message.split('\n')[0] as string };
  }
  return { kind: 'fault', message: 'it is not an expression' };
}
