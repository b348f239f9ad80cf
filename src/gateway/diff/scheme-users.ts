import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { Route } from '../decide/route.ts';
import type { Assumed } from '../schemes/scheme.ts';
import { schemesTaken } from '../schemes/schemes-of.ts';
import type { CompiledFile, UserOfScheme } from './compiled-file.ts';

/** The users of one scheme, realm and place. */
export interface Users {
  readonly scheme: string;
  readonly whose: string;
  /** For a report, such as `digest:meters (meters.htdigest)`. */
  readonly about: string;
  /** The scopes that the route's block gives. Undefined: only the place of the users knows them. */
  readonly scopes: Assumed['scopes'];
}

/** The users of a route as the file has it. Many requests lead to the same route. */
const known = new WeakMap<RouteConfig, readonly Users[]>();

/** The users that a route accepts, beside bearer tokens. */
export function usersOf(side: CompiledFile, route: Route | undefined): readonly Users[] {
  const written = side.written(route);
  if (written === undefined || route?.access === 'public') return [];
  const users = known.get(written) ?? usersIn(written, side.config);
  known.set(written, users);
  return users;
}

function usersIn(written: RouteConfig, config: GatewayConfig): readonly Users[] {
  return schemesTaken(written).map(({ name, row, block }) => {
    const { source, scopes, identityOf } = row.assume(block, config);
    const { issuer } = identityOf('');
    return { scheme: name, whose: `${issuer} ${source.key}`, about: `${issuer} (${source.about})`, scopes };
  });
}

/** A name that no file needs to give. */
const UNNAMED = 'any-other-user';

export interface LabelledUser {
  readonly label: string;
  readonly user: UserOfScheme;
}

/**
 * One user for each pair of scopes that the two routes give, and one whom neither names. If only the place of the users
 * knows their scopes, one user for each set.
 */
export function usersFor(both: readonly (readonly Users[])[], sets: readonly (readonly string[])[]): LabelledUser[] {
  const groups = Map.groupBy(both.flat(), ({ whose }) => whose);
  return [...groups.values()].flatMap((same) => (same.some(isOpenEnded) ? withScopes(same, sets) : named(same)));
}

function isOpenEnded({ scopes }: Users): boolean {
  return scopes === undefined;
}

function withScopes([users]: readonly Users[], sets: readonly (readonly string[])[]): LabelledUser[] {
  if (users === undefined) return [];
  const { scheme, whose, about } = users;
  return sets.map((scopes) => ({
    label: `as a user of ${about} ${scopes.length === 0 ? 'without scope' : `with scope ${scopes.join(' ')}`}`,
    user: { scheme, whose, name: UNNAMED, scopes },
  }));
}

function named(same: readonly Users[]): LabelledUser[] {
  const names = [UNNAMED, ...same.flatMap(({ scopes = {} }) => Object.keys(scopes))];
  const alike = Map.groupBy(names, (name) => JSON.stringify(same.map((users) => scopeOf(users, name))));
  return [...alike.values()].flatMap(([name]) => same.slice(0, 1).map((users) => labelled(users, name as string)));
}

function scopeOf({ scopes = {} }: Users, name: string): string {
  return Object.hasOwn(scopes, name) ? (scopes[name] ?? '') : '';
}

function labelled({ scheme, whose, about }: Users, name: string): LabelledUser {
  return { label: `as ${name === UNNAMED ? 'a user' : name} of ${about}`, user: { scheme, whose, name } };
}
