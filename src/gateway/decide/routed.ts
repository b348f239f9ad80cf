import type { Call } from '../mcp/call.ts';
import type { RequestHead } from '../message/request-head.ts';
import type { Target } from '../message/target.ts';
import type { Refuse } from './outcome.ts';
import type { Route } from './route.ts';

/** A request with its route. */
export interface Routed {
  readonly kind: 'routed';
  readonly head: RequestHead;
  /** Normalized for comparison. */
  readonly host: string;
  readonly target: Target;
  readonly route: Route;
  /** In shadow mode: the refusal that its target or its route would cause. */
  readonly wouldRefuse: Refuse | undefined;
  /** A preflight that the upstream answers itself. */
  readonly preflight: boolean;
  /**
   * The body that the gateway reads before it decides. Undefined: none. In shadow mode the body may turn out to be
   * unreadable.
   */
  readonly wanted: WantedEntity | undefined;
  /** The message of an `mcp` route, once it is read. */
  readonly call?: Call | undefined;
  /** Why the message is refused, if the caller may use the route at all. */
  readonly callRefusal?: Refuse | undefined;
}

/**
 * A body that is read completely before the decision: a form that may contain the token, a body whose hash is in the
 * credentials, or a message whose operation has rules.
 */
export interface WantedEntity {
  readonly kind: 'form' | 'hashed' | 'message';
  /** Bytes. */
  readonly limit: number;
  /** The code for a longer body. */
  readonly tooLarge: 'form_too_large' | 'integrity_too_large' | 'mcp_message_too_large';
}
