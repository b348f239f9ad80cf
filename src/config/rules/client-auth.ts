// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this

import type { ClientFile } from '../schema/authorization.ts';
import type { Finding } from '../words/problem.ts';
import { endpointFaults } from '../words/url-rules.ts';
import type { Checks, Member } from './checks.ts';
import { hasSecret } from './grants.ts';
import type { AuthorizationSubject } from './subject.ts';

type Client = Member<ClientFile>;

/** Rules for the authentication of a client. */
export const clientAuthChecks: Checks<AuthorizationSubject> = {
  'authentication method of a client': ({ clients }) => clients.flatMap(methodFaults),
  'keys of a client': ({ clients, config }) => clients.flatMap((client) => keyFaults(client, config.development)),
  'key set of a client': ({ clients }) =>
    clients.flatMap(({ at, value }): Finding[] => {
      const message = value.jwks === undefined ? undefined : keySetFault(value.jwks);
      return message === undefined ? [] : [{ pointer: [...at, 'jwks'], message }];
    }),
  '`events` and `keys` of a client without a secret': ({ clients }) => clients.flatMap(endpointsByBasic),
};

function methodFaults({ at, value }: Client): readonly Finding[] {
  const method = value.token_endpoint_auth_method;
  const pointer = [...at, 'token_endpoint_auth_method'];
  if (method === undefined) return [];
  if (method.startsWith('client_secret')) {
    if (hasSecret(value)) return [];
    return [{ pointer, message: `\`${method}\` needs a secret`, hint: 'write `client_secret: ${NAME}`' }];
  }
  if (!hasSecret(value)) return [];
  return [{ pointer, message: `a client with \`${method}\` must not have a secret`, hint: 'remove the secret' }];
}

function keyFaults({ at, value }: Client, development: boolean): readonly Finding[] {
  const { jwks, jwks_uri: uri, token_endpoint_auth_method: method } = value;
  const written = (['jwks', 'jwks_uri'] as const).filter((key) => value[key] !== undefined);
  if (method !== 'private_key_jwt')
    return written.map((key) => ({
      pointer: [...at, key],
      severity: 'warning',
      message: `\`${key}\` has no effect without \`private_key_jwt\``,
      hint: 'write `token_endpoint_auth_method: private_key_jwt`, or remove this',
      atKey: true,
    }));
  if ((jwks === undefined) === (uri === undefined)) {
    const pointer = [...at, 'token_endpoint_auth_method'];
    const message = '`private_key_jwt` needs either `jwks` or `jwks_uri` (RFC 7591 §2)';
    return [{ pointer, message, hint: 'write `jwks_uri: https://app.example.com/jwks.json`' }];
  }
  return endpointFaults([...at, 'jwks_uri'], uri, development);
}

/** RFC 7517 §5. The members of a secret or a private key are an error, because the file is no place for them. */
const SECRET = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

function keySetFault(jwks: unknown): string | undefined {
  const keys = isMap(jwks) ? jwks.keys : undefined;
  if (!Array.isArray(keys) || keys.length === 0) return 'a JWK Set needs a list of `keys` (RFC 7517 §5)';
  if (!keys.every((key) => isMap(key) && typeof key.kty === 'string')) return 'each key needs a `kty` (RFC 7517 §4.1)';
  return keys.some((key) => SECRET.some((name) => Object.hasOwn(key, name)))
    ? 'each key here must be public, but one key has a secret part'
    : undefined;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A request without a form has no place for an assertion. */
function endpointsByBasic({ at, value }: Client): readonly Finding[] {
  if (value.token_endpoint_auth_method !== 'private_key_jwt') return [];
  return (['events', 'keys'] as const)
    .filter((key) => value[key])
    .map((key) => ({
      pointer: [...at, key],
      message: `\`${key}\` needs a client that has a secret and sends the secret by Basic`,
      hint: 'register another client for this',
    }));
}
