import type { HostPattern } from '../../config/words/host-pattern.ts';
import type { PathSegment } from '../../config/words/path-pattern.ts';
import type { Conditioned, MatchCondition } from './match-conditions.ts';

/** The facts by which the table places a route. */
export interface RoutePattern {
  /** Undefined: every host. */
  readonly host: HostPattern | undefined;
  readonly segments: readonly PathSegment[];
  /** Undefined: every method. */
  readonly methods: ReadonlySet<string> | undefined;
  readonly conditions: readonly MatchCondition[];
  /** false: literals match without regard to case, as the upstream compares them. */
  readonly caseSensitive: boolean;
  readonly access: string;
}

export interface RouteLookup extends Conditioned {
  /** As from `normalizeHost`. */
  readonly host: string;
  /** The judged path, normalized for comparison with patterns. */
  readonly key: string;
  readonly method: string;
}
