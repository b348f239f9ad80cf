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
}

/**
 * A body that is read completely before the decision: a form that may contain the token, or a body whose hash is in the
 * credentials.
 */
export interface WantedEntity {
  readonly kind: 'form' | 'hashed';
  /** Bytes. */
  readonly limit: number;
  /** The code for a longer body. */
  readonly tooLarge: 'form_too_large' | 'integrity_too_large';
}
