import type { Pointer } from '../../config/load/load.ts';
import type { Outcome } from '../decide/outcome.ts';
import type { Code } from '../message/codes.ts';
import { callOf, operationText } from '../telemetry/call-facts.ts';

/** The message of an `mcp` route, and the rule that applies. Empty: there is no message. */
export function operationInWords(outcome: Outcome): string {
  const call = callOf(outcome);
  const operation = operationText(outcome);
  if (call === undefined || operation === undefined) return '';
  return `${operation}: ${call.rule === undefined ? 'no rule, so the route decides' : `rule \`${call.rule}\``}`;
}

const deciding: Readonly<Partial<Record<Code, Pointer>>> = {
  mcp_operation_denied: ['mcp', 'deny'],
  mcp_version_unsupported: ['mcp', 'versions'],
  mcp_header_mismatch: ['mcp', 'mirror'],
  mcp_message_too_large: ['mcp', 'body'],
};

/** The lines of the file that decide about the message. Undefined: there is no message, or another key decides. */
export function callKeys(outcome: Outcome): Pointer | undefined {
  const refused = outcome.kind === 'refuse' ? deciding[outcome.code] : undefined;
  if (refused !== undefined) return refused;
  const rule = callOf(outcome)?.rule?.split(', ').at(-1);
  const isAboutScope = outcome.kind !== 'refuse' || outcome.code === 'scope_insufficient';
  return rule === undefined || !isAboutScope ? undefined : ['mcp', 'scope', rule];
}
