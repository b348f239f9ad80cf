import { randomUUID } from 'node:crypto';
import { refused } from '../../base/verdict.ts';
import { type AuthScheme, type GatewayConfig, type RouteConfig, schemesOf } from '../../config/gateway.ts';
import { isLoopback } from '../../config/host.ts';
import { basicChallenge } from '../../http-auth/basic.ts';
import { digestChallenge } from '../../http-auth/digest.ts';
import { digestAlgorithmNames } from '../../http-auth/digest-algorithms.ts';
import type { HttpScheme } from '../schemes/http-scheme.ts';
import { userIdentities } from '../schemes/user-identity.ts';

type OldScheme = Exclude<AuthScheme, 'bearer'>;

/** Of this process alone, so that nothing that anybody could write is taken for a verified user. */
const ASSUMED = `assumed-${randomUUID()}`;

/** The value of Authorization of a user whose password is taken for right. */
export function assumedCredentials(scheme: OldScheme, username: string): string {
  return `${scheme} ${ASSUMED} ${username}`;
}

/** In the place of user files: believes whom it is told of, and nobody else. */
export function assumedSchemes(config: GatewayConfig): (route: RouteConfig) => readonly HttpScheme[] {
  return (route) =>
    schemesOf(route.auth).flatMap((name) => {
      if (name === 'basic' && route.basic !== undefined) return [assumedBasic(config, route.basic)];
      return name === 'digest' && route.digest !== undefined ? [assumedDigest(route.digest)] : [];
    });
}

/** A request that nobody sent comes from nowhere: to a listener on loopback only this machine could have sent it. */
function assumedBasic(
  { listen, realm: fallback }: GatewayConfig,
  basic: NonNullable<RouteConfig['basic']>,
): HttpScheme {
  const { realm = fallback, scopes, charset, allow_insecure } = basic;
  const isClosed = allow_insecure || isLoopback(listen.host);
  const assumed = assumedScheme('basic', userIdentities({ scheme: 'basic', realm, scopes }));
  return {
    ...assumed,
    challenges: ({ origin }) => (isClosed || origin.secure ? [basicChallenge({ realm, charset })] : []),
    verify: (presented) =>
      isClosed || presented.head.origin.secure ? assumed.verify(presented) : refused('transport_insecure'),
  };
}

function assumedDigest(digest: NonNullable<RouteConfig['digest']>): HttpScheme {
  const { realm, scopes, algorithms, qop, userhash, domain } = digest;
  const offered = digestAlgorithmNames.filter((name) => algorithms.includes(name));
  const shared = { realm, qop, userhash, domain: domain?.join(' '), nonce: 'NONCE', opaque: 'OPAQUE', stale: false };
  return {
    ...assumedScheme('digest', userIdentities({ scheme: 'digest', realm, scopes })),
    challenges: () => offered.map((algorithm) => digestChallenge({ ...shared, algorithm })),
  };
}

function assumedScheme(name: OldScheme, identityOf: ReturnType<typeof userIdentities>): Omit<HttpScheme, 'challenges'> {
  const begins = assumedCredentials(name, '');
  return {
    name,
    wantsEntity: () => undefined,
    verify({ value }) {
      if (!value.startsWith(begins))
        return refused(
          'password_wrong',
          'no password is judged here: assume a user by --user NAME, or by `user` in a test',
        );
      return { kind: 'verified', identity: identityOf(value.slice(begins.length)), cache: 'miss' };
    },
  };
}
