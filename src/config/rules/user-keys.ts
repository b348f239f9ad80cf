// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this

import type { ClientFile } from '../schema/client.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import { isPublic } from './grants.ts';
import type { AuthorizationSubject } from './subject.ts';

/** Rules for `signing.user_keys`, and for clients that may fetch secret keys. */
export const userKeyChecks: Checks<AuthorizationSubject> = {
  'keys of users': ({ config, clients }) =>
    config.signing.user_keys
      ? [...slowKeys(config), ...unusedKeys(config, clients), ...unreadKeys(config, clients)]
      : [],
  'client that reads keys of users': ({ config, clients }) =>
    clients.filter(({ value }) => value.keys).flatMap((client) => readerFaults(config, client)),
};

type Config = AuthorizationSubject['config'];
type Clients = AuthorizationSubject['clients'];

function slowKeys({ signing }: Config): readonly Finding[] {
  if (signing.alg !== 'RS256') return [];
  return [
    {
      pointer: ['signing', 'user_keys'],
      severity: 'warning',
      message: 'making an RSA key takes a tenth of a second or more, and this delays the first token of each user',
      hint: 'write `alg: ES256` or `EdDSA`',
    },
  ];
}

/** Clients in the store may get JWTs too, so this is only a warning. */
function unusedKeys({ tokens }: Config, clients: Clients): readonly Finding[] {
  const formatOf = ({ access_token_format: own = tokens.access.format }: ClientFile) => own;
  if (tokens.access.format === 'jwt' || clients.some(({ value }) => formatOf(value) === 'jwt')) return [];
  return [
    {
      pointer: ['signing', 'user_keys'],
      severity: 'warning',
      message: 'no client of this file gets JWTs, so no user gets a key',
      hint: 'write `tokens: { access: { format: jwt } }`, or `access_token_format: jwt` for a client',
    },
  ];
}

function unreadKeys({ signing }: Config, clients: Clients): readonly Finding[] {
  if (signing.alg !== 'HS256' || clients.some(({ value }) => value.keys)) return [];
  return [
    {
      pointer: ['signing', 'user_keys'],
      severity: 'warning',
      message:
        'with `HS256`, the keys of users are secret, and no client may fetch these keys: no gateway can verify JWTs of users',
      hint: 'write `keys: true` for the client of the gateway, or `alg: ES256`',
    },
  ];
}

function readerFaults({ signing }: Config, { at, value }: Clients[number]): readonly Finding[] {
  const pointer = [...at, 'keys'];
  if (isPublic(value))
    return [{ pointer, message: '`keys` needs a client with a secret', hint: 'write `client_secret: ${NAME}`' }];
  if (signing.alg === 'HS256' && signing.user_keys) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: '`keys` has no effect: users have secret keys only with `alg: HS256` and `user_keys: true` in `signing`',
      hint: 'remove it: everyone may fetch public keys',
    },
  ];
}
