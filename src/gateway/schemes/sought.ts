import type { Outage } from '../../base/verdict.ts';

/** What became of looking for a user. */
export type Answered<User> = { readonly kind: 'found'; readonly user: User } | { readonly kind: 'unknown' } | Outage;

/** From a file, or where it is remembered, it is there at once. */
export type Sought<User> = Answered<User> | Promise<Answered<User>>;

export const unknown = { kind: 'unknown' } as const;

export function foundOr<User>(user: User | undefined): Answered<User> {
  return user === undefined ? unknown : { kind: 'found', user };
}
