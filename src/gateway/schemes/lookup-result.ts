import type { Outage } from '../../base/verdict.ts';

/** The result of a user look-up. */
export type LookupResult<User> =
  | { readonly kind: 'found'; readonly user: User }
  | { readonly kind: 'unknown' }
  | Outage;

/** A file or a remembered result answers at once. */
export type UserLookup<User> = LookupResult<User> | Promise<LookupResult<User>>;

export const unknownUser = { kind: 'unknown' } as const;

export function foundOr<User>(user: User | undefined): LookupResult<User> {
  return user === undefined ? unknownUser : { kind: 'found', user };
}
