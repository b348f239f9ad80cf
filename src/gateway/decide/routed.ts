import type { RequestHead } from '../message/request-head.ts';
import type { Target } from '../message/target.ts';
import type { Refuse } from './outcome.ts';
import type { Route } from './route.ts';

/** A request that has a route. */
export interface Routed {
  readonly kind: 'routed';
  readonly head: RequestHead;
  /** In the form in which hosts compare. */
  readonly host: string;
  readonly target: Target;
  readonly route: Route;
  /** In shadow mode: what its target or its route would have been refused for. */
  readonly wouldRefuse: Refuse | undefined;
  /** A preflight that the upstream answers itself. */
  readonly preflight: boolean;
  /** The body to read before the decision; undefined: none. In shadow mode it may still be one that cannot be read. */
  readonly wanted: WantedEntity | undefined;
}

/** A body that is read whole before a decision: a form that may hold the token, or one whose hash is in the credentials. */
export interface WantedEntity {
  readonly kind: 'form' | 'hashed';
  /** Bytes. */
  readonly limit: number;
  /** The code for a longer body. */
  readonly tooLarge: 'form_too_large' | 'integrity_too_large';
}
