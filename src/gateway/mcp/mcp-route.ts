import type { MirrorMode } from './mirror.ts';
import type { McpRules } from './rules.ts';
import type { SessionSeal } from './session-seal.ts';
import type { ToolMemory } from './tool-memory.ts';

/** A route in front of a Model Context Protocol server. `Of`: the route that a rule leads to. */
export interface McpRoute<Of> {
  readonly mirror: MirrorMode;
  /** Undefined: every revision. */
  readonly versions: readonly string[] | undefined;
  readonly sessions: boolean;
  readonly filtersLists: boolean;
  /** Bytes of a message, and of a list in an answer. */
  readonly body: number;
  /** An operation without a rule has the requirements of the whole route. */
  readonly rules: McpRules<Of>;
  readonly denied: McpRules<undefined>;
  readonly tools: ToolMemory;
  readonly seal: SessionSeal;
  /** A header in lower case, and the path of the claim that it must equal. */
  readonly claims: readonly ParamClaim[];
}

export interface ParamClaim {
  readonly header: string;
  readonly claim: string;
}
