import { randomUUID } from 'node:crypto';
import { refused } from '../../base/verdict.ts';
import type { GatewayConfig, RouteConfig } from '../../config/schema/gateway.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import type { Assumed } from '../schemes/scheme.ts';
import { schemesTaken, type TakenScheme } from '../schemes/schemes-of.ts';

/** Random for this process, so that no request text can pass for a verified user. */
const ASSUMED = `assumed-${randomUUID()}`;

/** The credential of a user with an assumed right password. */
export function assumedCredentials(scheme: string, username: string): string {
  return `${scheme} ${ASSUMED} ${username}`;
}

/**
 * Replaces user files: each scheme accepts the assumed users and no others. `directory`: where the missing attributes of file
 * users are read; absent: files are not read.
 */
export function assumedSchemes(
  config: GatewayConfig,
  directory?: string,
): (route: RouteConfig) => readonly HttpScheme[] {
  return (route) =>
    schemesTaken(route).map((taken) => assumedScheme(taken, taken.row.assume(taken.block, config, directory)));
}

function assumedScheme({ name, places }: TakenScheme, assumed: Assumed): HttpScheme {
  const { identityOf, challenges, refusal = allowed, refusalOf = allowed, wrong = 'password_wrong' } = assumed;
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

const NOT_JUDGED = 'no password and no key is judged here: assume a user by --user NAME, or by `user` in a test';
