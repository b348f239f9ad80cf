// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this

import type { ClientFile } from '../schema/client.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks } from './checks.ts';
import { isPublic } from './grants.ts';
import type { AuthorizationSubject } from './subject.ts';

/** `signing.user_keys`, and who may read keys that are secrets. */
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
      message:
        'an RSA key for each user takes a tenth of a second or more to make, and the first token of each waits for it',
      hint: 'write `alg: ES256` or `EdDSA`',
    },
  ];
}

/** Clients of the store may get JWTs too, so this is a word and no more. */
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
        'the keys of users are secrets with `HS256`, and no client may read them: no gateway can verify their JWTs',
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
      message:
        'there are no keys of users that are secrets (`signing`: HS256 with `user_keys`), so `keys` allows nothing',
      hint: 'remove it: public keys are for everyone',
    },
  ];
}
