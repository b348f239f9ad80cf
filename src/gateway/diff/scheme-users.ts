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

/** The users that a route accepts, beside bearer tokens. */
export function usersOf(side: CompiledFile, route: Route | undefined): readonly Users[] {
  const written = side.written(route);
  if (written === undefined || route?.access === 'public') return [];
  return schemesTaken(written).map(({ name, row, block }) => {
    const { source, scopes, identityOf } = row.assume(block, side.config);
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

/** What the routes may ask of a user. */
export interface Asked {
  readonly scopes: readonly (readonly string[])[];
  readonly claims: readonly Readonly<Record<string, unknown>>[];
}

/**
 * One user for each pair of scopes that the two routes give, and one whom neither names. If only the place of the users
 * knows their scopes, one user for each set. If a route has conditions for claims, also a user for whom they are true:
 * for example, one who has the name that is in the path.
 */
export function usersFor(both: readonly (readonly Users[])[], asked: Asked): readonly LabelledUser[] {
  const groups = Map.groupBy(both.flat(), ({ whose }) => whose);
  const claims = asked.claims.filter((each) => Object.keys(each).length > 0);
  return [...groups.values()].flatMap((same) => [
    ...(same.some(isOpenEnded) ? assumed(same, asked.scopes, {}) : named(same)),
    ...claims.flatMap((each) => assumed(same, asked.scopes, each)),
  ]);
}

function isOpenEnded({ scopes }: Users): boolean {
  return scopes === undefined;
}

function assumed([users]: readonly Users[], sets: Asked['scopes'], claims: Asked['claims'][number]): LabelledUser[] {
  if (users === undefined) return [];
  const { scheme, whose, about } = users;
  const name = typeof claims.sub === 'string' ? claims.sub : UNNAMED;
  const more = Object.keys(claims).length === 0 ? '' : `, claims ${JSON.stringify(claims)}`;
  return sets.map((scopes) => ({
    label: `as a user of ${about} ${scopes.length === 0 ? 'without scope' : `with scope ${scopes.join(' ')}`}${more}`,
    user: { scheme, whose, name, assumed: { scopes, claims } },
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
