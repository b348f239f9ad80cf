import { unusual, usualMethods } from '../../config/rules/routes.ts';
import { scopeWordsOf } from '../../config/rules/scope-words-at.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { didYouMean } from '../../config/words/closest.ts';
import { scopeWords } from '../../config/words/scope-words.ts';
import { protocolMethods } from '../mcp/protocol-methods.ts';
import type { Explanation } from './explain.ts';
import { operationOf } from './simulated-call.ts';

interface Question {
  readonly method: string;
  /** The scope of the assumed token. */
  readonly scope?: string | undefined;
  /** The operation of `--mcp`. */
  readonly mcp?: string | undefined;
}

/** Parts of a question that are probably typing errors, one sentence each. The answer to such a question is useless. */
export function doubts({ method, scope, mcp }: Question, { routes, scopes = {} }: GatewayConfig): readonly string[] {
  const required = routes.flatMap((route) => scopeWordsOf([], route).map(({ word }) => word));
  const named = new Set([...required, ...Object.keys(scopes)]);
  const strange = scope === undefined ? [] : scopeWords(scope).filter((word) => !named.has(word));
  return [
    ...(isOdd(method, routes) ? [told(`\`${method}\` is an unusual method`, didYouMean(method, usualMethods))] : []),
    ...(mcp === undefined ? [] : oddOperation(mcp)),
    ...strange.map((word) => told(`no route names the scope \`${word}\``, didYouMean(word, named))),
  ];
}

function oddOperation(mcp: string): readonly string[] {
  const { method } = operationOf(mcp);
  if (protocolMethods.has(method)) return [];
  return [told(`the Model Context Protocol has no method \`${method}\``, didYouMean(method, protocolMethods))];
}

/** Undefined: the question has what its route reads. */
export function lackingMessage({ mcp }: Question, { answer, would_be }: Explanation): string | undefined {
  if (mcp !== undefined || (would_be ?? answer).code !== 'mcp_message_invalid') return undefined;
  return "this route has `mcp` and reads a message: add --mcp, such as --mcp 'tools/call NAME'";
}

/** A method that a route names is intended. Methods are case-sensitive (RFC 9110 §9.1). */
function isOdd(method: string, routes: GatewayConfig['routes']): boolean {
  if (routes.some(({ match }) => match.methods?.includes(method))) return false;
  return unusual(method) || (!usualMethods.includes(method) && usualMethods.includes(method.toUpperCase()));
}

function told(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}
