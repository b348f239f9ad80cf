import type { Outcome } from '../decide/outcome.ts';
import type { Call } from '../mcp/call.ts';
import { withoutTokens } from './without-tokens.ts';

/** What a message of an `mcp` route asked for. */
export interface CallFacts {
  readonly mcp_method?: string;
  /** The tool, prompt or resource. */
  readonly mcp_name?: string;
  /** The keys of the rules that applied. */
  readonly mcp_rule?: string;
  /** Changes with the definition of the tool, as the last list had it. */
  readonly tool_digest?: string;
}

/** Characters of a value that the client chose. */
const LONGEST = 256;

export function callFacts(outcome: Outcome | undefined): CallFacts {
  const call = callOf(outcome);
  if (call?.message === undefined) return {};
  const { message, rule, tool } = call;
  const name = message.operations[0]?.name;
  return {
    ...(message.method !== '' && { mcp_method: message.method.slice(0, LONGEST) }),
    ...(name !== undefined && { mcp_name: withoutTokens(name.slice(0, LONGEST)) }),
    ...(rule !== undefined && { mcp_rule: rule }),
    ...(tool !== undefined && { tool_digest: tool.digest }),
  };
}

export function callOf(outcome: Outcome | undefined): Call | undefined {
  return outcome === undefined || outcome.kind === 'reply' ? undefined : outcome.call;
}

/** `tools/call delete_user`, as a key in `mcp.scope` is written. */
export function operationText(outcome: Outcome | undefined): string | undefined {
  const { mcp_method, mcp_name } = callFacts(outcome);
  return mcp_name === undefined ? mcp_method : `${mcp_method} ${mcp_name}`;
}
