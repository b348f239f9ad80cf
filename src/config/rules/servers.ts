import { resolve } from 'node:path';
import { notKeySet, readKeySetFile } from '../files/key-set-file.ts';
import { passesOver } from '../files/referred-file.ts';
import type { AuthorizationServerConfig, RouteFile } from '../schema/gateway.ts';
import { takesTokens } from '../schema/http-schemes.ts';
import { hmacSecretFaults } from '../words/hmac-secret.ts';
import type { Finding } from '../words/problem.ts';
import { endpointFaults, issuerFaults } from '../words/url-rules.ts';
import { type Checks, type Member, repeated } from './checks.ts';
import type { GatewaySubject } from './subject.ts';
import { tlsFileFaults } from './tls-files.ts';

type Server = Member<AuthorizationServerConfig>;

/** Rules for authorization servers and their keys. */
export const serverChecks: Checks<GatewaySubject> = {
  issuer: ({ servers, config }) =>
    servers.flatMap(({ at, value }) => issuerFaults([...at, 'issuer'], value.issuer, config.development)),
  'issuer twice': ({ servers, around }) =>
    repeated(servers, ({ value }) => value.issuer).map((twins) => sameIssuer(twins, around.cite)),
  jwks_uri: ({ servers, config }) =>
    servers.flatMap(({ at, value }) => endpointFaults([...at, 'jwks_uri'], value.jwks_uri, config.development)),
  'two places for keys': ({ servers }) => servers.flatMap(keyPlaceFaults),
  'jwks_file exists and is a key set': ({ servers, around }) =>
    servers.flatMap((server) => keyFileFaults(server, around)),
  'authorities of a server': ({ servers, around }) =>
    servers.flatMap(({ at, value: { tls } }) => tlsFileFaults([...at, 'tls'], tls, around)),
  algorithms: ({ servers }) => servers.flatMap(algorithmFaults),
  secret: ({ servers }) => servers.flatMap(secretFaults),
  'typ JWT': ({ servers }) => servers.flatMap(typFaults),
  'required claims': ({ servers }) => servers.flatMap(requiredClaimFaults),
  'no audience': audienceFaults,
};

function sameIssuer([server, other]: readonly [Server, Server], cite: GatewaySubject['around']['cite']): Finding {
  const message = `\`${other.name}\` (${cite([...other.at, 'issuer'])}) has the same issuer`;
  return {
    pointer: [...server.at, 'issuer'],
    message,
    hint: 'a token could belong to either server: merge the two blocks',
  };
}

function keyPlaceFaults({ at, value }: Server): readonly Finding[] {
  if (value.jwks_uri === undefined || value.jwks_file === undefined) return [];
  return [
    {
      pointer: [...at, 'jwks_file'],
      message: 'keys come from `jwks_uri` or from `jwks_file`, not from both',
      hint: 'remove one',
      atKey: true,
    },
  ];
}

function keyFileFaults({ at, value }: Server, around: GatewaySubject['around']): readonly Finding[] {
  const { directory } = around;
  if (value.jwks_file === undefined || passesOver(value.jwks_file, around, 'no secret')) return [];
  const pointer = [...at, 'jwks_file'];
  const read = readKeySetFile(resolve(directory, value.jwks_file));
  if (read.ok) return keySetFaults(pointer, notKeySet(read.bytes));
  const { reason, hint = `paths are relative to ${directory}` } = read;
  return [{ pointer, message: `the file ${reason}`, hint }];
}

/** The operator may repair the file while the gateway runs, so this is only a warning. */
function keySetFaults(pointer: Finding['pointer'], fault: string | undefined): readonly Finding[] {
  if (fault === undefined) return [];
  const message = `the file ${fault}, so no token can be verified with it`;
  return [
    { pointer, severity: 'warning', message, hint: 'the file must be a JWK Set (RFC 7517 §5): {"keys": [{"kty": …}]}' },
  ];
}

const isSymmetric = (algorithm: string) => algorithm.startsWith('HS');

/** One key must never serve both kinds. Everyone knows a public key, so it must not be an HMAC secret (RFC 8725 §3.1). */
function algorithmFaults({ at, value }: Server): readonly Finding[] {
  const pointer = [...at, 'algorithms'];
  const symmetric = value.algorithms.filter(isSymmetric);
  if (value.algorithms.length === 0)
    return [
      {
        pointer,
        message: 'the list is empty, so no token would be accepted',
        hint: 'leave the list out to accept EdDSA, ES256, RS256 and PS256',
      },
    ];
  if (symmetric.length === 0) return [];
  if (symmetric.length < value.algorithms.length) {
    return [
      {
        pointer,
        message: `${symmetric.join(', ')} and algorithms with key pairs cannot be mixed in one server`,
        hint: 'keep one kind (RFC 8725 §3.1)',
      },
    ];
  }
  if (value.secret !== undefined || value.secret_base64url !== undefined) return [];
  if (value.user_key_uri_template !== undefined) return [];
  return [
    {
      pointer,
      message: `${symmetric.join(', ')} needs \`secret\` or \`secret_base64url\``,
      hint: 'write the secret that signs the tokens, at least 32 bytes; or `user_key_uri_template` if each user has a key',
    },
  ];
}

function secretFaults({ at, value }: Server): readonly Finding[] {
  const key = value.secret_base64url === undefined ? 'secret' : 'secret_base64url';
  const text = value[key];
  if (text === undefined) return [];
  const pointer = [...at, key];
  if (value.secret !== undefined && value.secret_base64url !== undefined)
    return [
      {
        pointer,
        message: '`secret` and `secret_base64url` are two forms of one value',
        hint: 'remove one',
        atKey: true,
      },
    ];
  if (!value.algorithms.some(isSymmetric))
    return [
      {
        pointer,
        message: 'a secret without HS256, HS384 or HS512 in `algorithms` is never used',
        hint: `write \`algorithms: [HS256]\`, or remove \`${key}\``,
        atKey: true,
      },
    ];
  return hmacSecretFaults(pointer, key, text);
}

/** ID tokens and many others have the type `JWT` or none. Then `aud` or a claim must identify access tokens. */
function typFaults({ at, value }: Server): readonly Finding[] {
  const index = value.typ.findIndex((typ) => /^(absent|(application\/)?jwt)$/i.test(typ));
  const isToldApart = Object.keys(value.required_claims).length > 0;
  if (index === -1 || isToldApart || (value.audience !== undefined && value.audience !== 'any')) return [];
  return [
    {
      pointer: [...at, 'typ', index],
      message: `with \`${value.typ[index]}\` in \`typ\`, the server needs an \`audience\` or \`required_claims\``,
      hint: 'write `audience: …` or `required_claims: …`, or accept only at+jwt (RFC 9068 §4)',
    },
  ];
}

function requiredClaimFaults({ at, value }: Server): readonly Finding[] {
  const names = Object.keys(value.required_claims);
  const pointer = [...at, 'required_claims'];
  if (names.length > 0 && value.verify === 'introspection')
    return [
      { pointer, message: 'with `verify: introspection`, the gateway reads no JWT', hint: 'remove it', atKey: true },
    ];
  return names
    .filter((name) => value.required_claims[name]?.length === 0)
    .map((name) => ({ pointer: [...pointer, name], message: 'the list is empty, so no token would be accepted' }));
}

/**
 * The file must tell which tokens are for this API: `audience: any`, claims, or an audience on every route that accepts the
 * tokens.
 */
function audienceFaults({ servers, routes }: GatewaySubject): readonly Finding[] {
  return servers
    .filter(({ value }) => value.audience === undefined && Object.keys(value.required_claims).length === 0)
    .filter((server) => typFaults(server).length === 0)
    .filter(({ name }) => routes.some(({ value }) => takesTokensOf(value, name) && value.audience === undefined))
    .map(({ at }) => ({
      pointer: at,
      severity: 'warning',
      atKey: true,
      message: 'without an `audience`, tokens for every other API of this issuer are accepted here',
      hint: 'name the audience of tokens for this API, or write `audience: any` if you meant this',
    }));
}

function takesTokensOf(route: RouteFile, server: string): boolean {
  return takesTokens(route) && (route.authorization_servers?.includes(server) ?? true);
}
