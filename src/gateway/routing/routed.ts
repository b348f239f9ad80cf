import type { Refuse } from '../outcome.ts';
import type { RequestHead } from '../request-head.ts';
import type { Route } from './route.ts';
import type { Target } from './target.ts';

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
}
