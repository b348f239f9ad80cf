import { type Refused, refused } from '../base/verdict.ts';
import type { Code } from './codes.ts';
import type { Identity } from './identity.ts';
import { type ScopeRequirement, satisfies } from './scope-requirement.ts';

/** What a route asks of an identity. Judged on every request, whether the identity was cached or not. */
export interface Requirements {
  /** Undefined: any valid credential. */
  readonly scope: ScopeRequirement | undefined;
  /** Configuration name of a server → what `aud` must contain; a server that is not named has no audience check. */
  readonly audience: ReadonlyMap<string, string>;
}

export type PermitCode = Extract<Code, 'token_audience' | 'scope_insufficient'>;

/** Undefined: permitted. */
export function permit({ scope, audience }: Requirements, identity: Identity): Refused<PermitCode> | undefined {
  const wanted = audience.get(identity.server);
  if (wanted !== undefined && !(identity.audience?.includes(wanted) ?? false)) return refused('token_audience');
  if (scope !== undefined && !satisfies(scope, identity.scopes)) return refused('scope_insufficient');
  return undefined;
}
