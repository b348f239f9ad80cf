import { sha256 } from '../../../base/secret.ts';
import { refused } from '../../../base/verdict.ts';
import { type Htpasswd, parseHtpasswd } from '../../../config/files/htpasswd.ts';
import type { GatewayConfig } from '../../../config/schema/gateway.ts';
import type { BasicConfig } from '../../../config/schemes/basic/schema.ts';
import { isLoopback } from '../../../config/words/host.ts';
import { basicChallenge } from '../../../http-auth/basic.ts';
import type { HttpScheme } from '../http-scheme.ts';
import type { Assumed, GatewayScheme, SchemeScene } from '../scheme.ts';
import { userIdentities } from '../user-identity.ts';
import { userSource } from '../user-source.ts';
import { openUsersInStore, storeOf } from '../users-in-store.ts';
import { usersOfFile } from '../users-of-file.ts';
import { basicScheme } from './basic-scheme.ts';
import { type BasicUsers, basicUsersOfFile, basicUsersOfStore } from './basic-users.ts';

/** Basic (RFC 7617). */
export const basic: GatewayScheme<BasicConfig> = {
  open,
  assume,
  describe: ({ issuer }) => `verified as a user of ${issuer}`,
  countsUses: false,
  dependencies: ({ users }) => storeOf('basic', users),
};

/** Kept over a reload only if its users are unchanged, because an old password must not stay valid. */
function open(config: BasicConfig, scene: SchemeScene): HttpScheme {
  const { kept, lease, clock, counted, throttle } = scene;
  const { share } = scene.config.limits;
  const realm = config.realm ?? scene.config.realm;
  const [users, print] = usersOf(config, scene);
  return kept.schemes.take(lease, ['basic', realm, config, print, counted, share], () =>
    basicScheme({ config, realm, users, judge: kept.passwords, throttle, share, clock }),
  );
}

function usersOf({ users: source }: BasicConfig, scene: SchemeScene): readonly [users: BasicUsers, print: string] {
  if (typeof source !== 'string') return [basicUsersOfStore(openUsersInStore(scene, 'basic', source)), ''];
  const users = usersOfFile<Htpasswd>(scene, source, parseHtpasswd, new Map());
  return [basicUsersOfFile(users), sha256(JSON.stringify([...users])).toString('base64')];
}

/** A simulated request has no address. If the listener is on loopback, only this machine could send it. */
function assume(config: BasicConfig, { listen, realm: fallback }: GatewayConfig): Assumed {
  const { realm = fallback, users, scopes, charset, allow_insecure } = config;
  const isClosed = allow_insecure || isLoopback(listen.host);
  return {
    identityOf: userIdentities({ scheme: 'basic', realm, scopes }),
    challenges: () => [basicChallenge({ realm, charset })],
    source: userSource(users),
    scopes,
    refusal: ({ origin }) => (isClosed || origin.secure ? undefined : refused('transport_insecure')),
  };
}
