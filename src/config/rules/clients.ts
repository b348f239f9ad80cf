// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this

import type { ClientFile } from '../schema/authorization.ts';
import { LONGEST_CLIENT_ID } from '../words/client-url.ts';
import type { Finding } from '../words/problem.ts';
import { type Check, type Checks, type Member, repeated } from './checks.ts';
import { knownScopes, scopeFaults } from './client-scope.ts';
import { confidentialFaults, isPublic } from './grants.ts';
import type { AuthorizationSubject } from './subject.ts';

type Client = Member<ClientFile>;

/** Clients that are registered in the file. */
export const clientChecks: Checks<AuthorizationSubject> = {
  'client names': each(nameFaults),
  'client id twice': ({ clients }) => repeated(clients, ({ value }) => idOf(value)).map(([client]) => sameId(client)),
  'client secret spellings': each(secretFaults),
  'client without secret': each(publicFaults),
  'weak client secret': each(weakSecret),
  'scope of a client': ({ clients, config }) =>
    clients.flatMap(({ at, value: { scope } }) =>
      scope === undefined ? [] : scopeFaults([...at, 'scope'], scope, knownScopes(config)),
    ),
};

function each(check: (client: Client) => readonly Finding[]): Check<AuthorizationSubject> {
  return ({ clients }) => clients.flatMap(check);
}

const idOf = ({ client_id, app_id }: ClientFile) => client_id ?? app_id;
const idKey = ({ client_id }: ClientFile) => (client_id === undefined ? 'app_id' : 'client_id');

const secretKey = ({ client_secret }: ClientFile) => (client_secret === undefined ? 'app_secret' : 'client_secret');

/** RFC 6749 appendix A.1: VSCHAR. The id is also the `sub` of the client's own tokens (RFC 9068 §5, OpenID Connect Core §2). */
function nameFaults({ at, value }: Client): readonly Finding[] {
  const id = idOf(value);
  if (id === undefined)
    return [{ pointer: at, message: 'this client has no `client_id`', hint: 'write `client_id: …` (or `app_id`)' }];
  if (value.client_id !== undefined && value.app_id !== undefined && value.client_id !== value.app_id) {
    return [
      {
        pointer: [...at, 'app_id'],
        message: '`client_id` and `app_id` mean the same, but differ here',
        hint: 'remove one',
        atKey: true,
      },
    ];
  }
  const pointer = [...at, idKey(value)];
  if (!/^[\x20-\x7e]+$/.test(id))
    return [{ pointer, message: 'a client id is plain ASCII text (RFC 6749 appendix A.1)' }];
  if (id.length <= LONGEST_CLIENT_ID) return [];
  const message = `a client id has at most ${LONGEST_CLIENT_ID} characters: it is the \`sub\` of the client's own tokens`;
  return [{ pointer, message }];
}

function sameId({ at, value }: Client): Finding {
  return {
    pointer: [...at, idKey(value)],
    message: `another client has the id \`${idOf(value)}\``,
    hint: 'give each client its own id',
  };
}

function secretFaults({ at, value }: Client): readonly Finding[] {
  const { client_secret, app_secret, client_secret_sha256 } = value;
  if (client_secret !== undefined && app_secret !== undefined && client_secret !== app_secret) {
    return [
      {
        pointer: [...at, 'app_secret'],
        message: '`client_secret` and `app_secret` mean the same, but differ here',
        hint: 'remove one',
        atKey: true,
      },
    ];
  }
  const plain = client_secret ?? app_secret;
  if (plain === undefined) return [];
  if (client_secret_sha256 !== undefined) {
    return [
      {
        pointer: [...at, 'client_secret_sha256'],
        message: 'the secret is given as text and as a digest',
        hint: 'remove one',
        atKey: true,
      },
    ];
  }
  return /^[\x20-\x7e]+$/.test(plain)
    ? []
    : [
        {
          pointer: [...at, secretKey(value)],
          message: 'a client secret is plain ASCII text in one line (RFC 6749 appendix A.2)',
        },
      ];
}

/** Grants for confidential clients only. A client that introspects authenticates (RFC 7662 §2.1). */
function publicFaults(client: Client): readonly Finding[] {
  if (!isPublic(client.value)) return [];
  const faults = confidentialFaults(client);
  if (!client.value.introspect) return faults;
  const message = '`introspect` needs a client with a secret (RFC 7662 §2.1)';
  return [...faults, { pointer: [...client.at, 'introspect'], message, hint: 'write `client_secret: ${NAME}`' }];
}

function weakSecret({ at, value }: Client): readonly Finding[] {
  const secret = value.client_secret ?? value.app_secret;
  if (secret === undefined || Buffer.byteLength(secret) >= 16) return [];
  return [
    {
      pointer: [...at, secretKey(value)],
      severity: 'warning',
      message: 'a secret of less than 16 bytes can be guessed',
      hint: 'make one with `openssl rand -hex 32`',
    },
  ];
}
