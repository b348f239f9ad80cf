import { randomUUID } from 'node:crypto';
import { refused } from '../../base/verdict.ts';
import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { Assumed } from '../schemes/scheme.ts';
import { schemesTaken, type TakenScheme } from '../schemes/schemes-of.ts';

/** Random for each process, so that no request text can pass for an assumed user. */
const ASSUMED = `assumed-${randomUUID()}`;

/** The credential of an assumed user whose password counts as correct. */
export function assumedCredentials(scheme: string, username: string): string {
  return `${scheme} ${ASSUMED} ${username}`;
}

/** Facts about a user of a place that is not read. */
export interface AssumedUser {
  readonly scopes: readonly string[];
  /** Beside the claims that follow from the name. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** By username. */
export type AssumedUsers = ReadonlyMap<string, AssumedUser>;

export interface AssumedPlace {
  /** Where the other attributes of file users are read. Undefined: no file is read. */
  readonly directory?: string | undefined;
  readonly users?: AssumedUsers | undefined;
}

/** Replaces user files: each scheme accepts only the assumed users. */
export function assumedSchemes(
  config: GatewayConfig,
  { directory, users }: AssumedPlace = {},
): (route: RouteConfig) => readonly HttpScheme[] {
  return (route) =>
    schemesTaken(route).map((taken) => assumedScheme(taken, taken.row.assume(taken.block, config, directory), users));
}

function assumedScheme({ name, places }: TakenScheme, assumed: Assumed, given: AssumedUsers = new Map()): HttpScheme {
  const { challenges, refusal = allowed, refusalOf = allowed, wrong = 'password_wrong' } = assumed;
  const identityOf = (username: string) => {
    const [identity, user] = [assumed.identityOf(username), given.get(username)];
    if (user === undefined) return identity;
    return { ...identity, scopes: new Set(user.scopes), claims: { ...identity.claims, ...user.claims } };
  };
  const begins = assumedCredentials(name, '');
  return {
    name,
    places,
    wantsEntity: () => undefined,
    challenges: (head) => (refusal(head) === undefined ? challenges() : []),
    verify({ value, head }) {
      const refusedHere = refusal(head);
      if (refusedHere !== undefined) return refusedHere;
      if (!value.startsWith(begins)) return refused(wrong, NOT_JUDGED);
      const username = value.slice(begins.length);
      return refusalOf(username) ?? { kind: 'verified', identity: identityOf(username), cache: 'miss' };
    },
  };
}

function allowed(): undefined {
  return undefined;
}

const NOT_JUDGED =
  'this command judges no password and no key: assume a user with --user NAME, or with `user` in a test';
