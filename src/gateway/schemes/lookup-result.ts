import type { Outage } from '../../base/verdict.ts';

/** What became of looking for a user. */
export type LookupResult<User> =
  | { readonly kind: 'found'; readonly user: User }
  | { readonly kind: 'unknown' }
  | Outage;

/** From a file, or where it is remembered, it is there at once. */
export type UserLookup<User> = LookupResult<User> | Promise<LookupResult<User>>;

export const unknownUser = { kind: 'unknown' } as const;

export function foundOr<User>(user: User | undefined): LookupResult<User> {
  return user === undefined ? unknownUser : { kind: 'found', user };
}
