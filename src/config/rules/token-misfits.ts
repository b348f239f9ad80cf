import { durationInWords } from '../../base/time-in-words.ts';
import { mediaType } from '../../base/token-type.ts';
import type { AuthorizationConfig, TokenFormat } from '../schema/authorization.ts';
import type { AuthorizationServerConfig, GatewayConfig } from '../schema/gateway.ts';
import { introspects } from '../schema/introspects.ts';
import { isPlaceholder } from '../words/placeholder.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import type { Member } from './checks.ts';
import { type TokenClient, tokenClients } from './token-clients.ts';

type Server = Member<AuthorizationServerConfig>;

interface Issued {
  readonly server: Server;
  readonly service: AuthorizationConfig;
  readonly cite: (pointer: Pointer) => string;
}

/** Reports tokens of the service that the gateway can never accept. */
export function unusableTokens(pair: Issued & { readonly admin: GatewayConfig['admin'] }): readonly Finding[] {
  const clients = tokenClients(pair.service, pair.admin);
  const opaque = clientsWith('opaque', clients, pair.service);
  const jwt = clientsWith('jwt', clients, pair.service);
  return [
    ...(opaque.length > 0 ? [...unreadable(opaque, pair), ...tooLong(pair, opaqueLifetime(pair.service))] : []),
    ...(jwt.length > 0 ? [...unverifiable(pair), ...tooLong(pair, jwtLifetime(pair.service))] : []),
  ];
}

/** With several resources, the tokens of some clients may be for another API. */
function clientsWith(
  format: TokenFormat,
  clients: readonly TokenClient[],
  { resources }: AuthorizationConfig,
): readonly TokenClient[] {
  const found = clients.filter((client) => client.format === format);
  return found.length === clients.length || resources.length === 1 ? found : [];
}

/** The gateway reads an opaque token only by introspection, or in the store. */
function unreadable(
  clients: readonly TokenClient[],
  { server: { at, value }, service, cite }: Issued,
): readonly Finding[] {
  if (introspects(value) || value.verify === 'store') return [];
  const [first, ...others] = clients.map((client) => `${client.who} (${cite(client.at)})`);
  const names = others.length === 0 ? first : `${first} and ${others.length} more`;
  const isMeant = value.verify === 'jwt';
  const why = isMeant ? '`verify: jwt` accepts only JWTs' : 'the gateway cannot introspect them without `client_id`';
  const format =
    "`access_token_format: jwt` for these clients in the service's file, or `tokens.access.format: jwt` for all clients";
  return [
    {
      pointer: isMeant ? [...at, 'verify'] : at,
      message: `the service issues opaque tokens to ${names}, but ${why}: each request with such a token gets 401`,
      hint: `${isMeant ? 'remove `verify: jwt`, and write' : 'write'} ${introspector(service, cite)}; or write ${format}`,
    },
  ];
}

function introspector({ clients }: AuthorizationConfig, cite: Issued['cite']): string {
  const index = clients.findIndex(({ introspect }) => introspect);
  const client = clients[index];
  if (client === undefined)
    return "`client_id` and `client_secret` of a client that has `introspect: true` in the service's file";
  return `\`client_id: ${client.client_id}\` and its \`client_secret\` (${cite(['clients', index])})`;
}

/** A value of the service that must fit a key of the gateway. Each mismatch makes the gateway reject every JWT. */
interface JwtRule {
  /** The key of the gateway's server. */
  readonly key: (server: AuthorizationServerConfig) => string;
  readonly at: Pointer;
  readonly clashes: (server: AuthorizationServerConfig, service: AuthorizationConfig) => boolean;
  readonly message: (service: AuthorizationConfig) => string;
  readonly hint: (service: AuthorizationConfig) => string;
}

const jwtRules: readonly JwtRule[] = [
  {
    key: () => 'algorithms',
    at: ['signing', 'alg'],
    clashes: ({ algorithms }, { signing }) => !algorithms.includes(signing.alg),
    message: ({ signing }) => `the service signs JWTs with \`${signing.alg}\``,
    hint: ({ signing }) =>
      `write \`algorithms: [${signing.alg}]\`${signing.alg === 'HS256' ? ' and the same `secret_base64url`' : ''}`,
  },
  {
    key: () => 'typ',
    at: ['compat', 'jwt_typ'],
    clashes: ({ typ }, { compat }) => !typ.map(mediaType).includes(mediaType(compat.jwt_typ)),
    message: ({ compat }) => `the service writes \`typ: ${compat.jwt_typ}\` into JWTs`,
    hint: ({ compat }) => `write \`typ: [${compat.jwt_typ}]\``,
  },
  {
    key: secretKey,
    at: ['signing', 'secret_base64url'],
    clashes: hasOtherSecret,
    message: () => 'the service signs JWTs with another secret',
    hint: () => 'write the `secret_base64url` of the service',
  },
  {
    key: secretKey,
    at: ['signing', 'user_keys'],
    clashes: ({ secret, secret_base64url, user_key_uri_template: template }, { signing }) =>
      signing.user_keys && (secret ?? secret_base64url) !== undefined && template === undefined,
    message: () => 'the service signs the JWTs of each user with a key of this user',
    hint: () => 'copy `user_key_uri_template` from the metadata of the service',
  },
];

function secretKey({ secret }: AuthorizationServerConfig): string {
  return secret === undefined ? 'secret_base64url' : 'secret';
}

/** With `verify: introspection`, the gateway verifies no JWT itself. */
function unverifiable({ server: { at, value }, service, cite }: Issued): readonly Finding[] {
  if (value.verify === 'introspection') return [];
  return jwtRules
    .filter(({ clashes }) => clashes(value, service))
    .map((rule) => ({
      pointer: [...at, rule.key(value)],
      message: `${rule.message(service)} (${cite(rule.at)}), and the gateway accepts no such JWT: each request with such a JWT gets 401`,
      hint: rule.hint(service),
    }));
}

function hasOtherSecret(server: AuthorizationServerConfig, { signing }: AuthorizationConfig): boolean {
  const [ours, theirs] = [server.secret ?? server.secret_base64url, signing.secret_base64url];
  if (ours === undefined || theirs === undefined || [ours, theirs].some(isPlaceholder)) return false;
  const key = Buffer.from(ours, server.secret === undefined ? 'base64url' : 'utf8');
  return !key.equals(Buffer.from(theirs, 'base64url'));
}

interface Lifetime {
  readonly at: Pointer;
  /** Milliseconds. */
  readonly longest: number;
}

function jwtLifetime({ tokens }: AuthorizationConfig): Lifetime {
  return { at: ['tokens', 'access', 'jwt_ttl'], longest: tokens.access.jwt_ttl };
}

/** A refresh that extends a token leaves its `iat`. */
function opaqueLifetime({ tokens: { access, refresh } }: AuthorizationConfig): Lifetime {
  if (refresh.access_token !== 'extend') return { at: ['tokens', 'access', 'ttl'], longest: access.ttl };
  return { at: ['tokens', 'refresh', 'access_token'], longest: Math.max(access.ttl, refresh.absolute_ttl) };
}

function tooLong({ server: { at, value }, cite }: Issued, { at: place, longest }: Lifetime): readonly Finding[] {
  const { max_token_lifetime: most, clock_skew: skew } = value;
  if (longest <= most + skew) return [];
  const [theirs, ours] = [longest, most].map((time) => durationInWords(time / 1000));
  return [
    {
      pointer: [...at, 'max_token_lifetime'],
      message: `tokens of the service may live for ${theirs} (${cite(place)}), and the gateway rejects a token that lives for more than ${ours}`,
      hint: 'raise `max_token_lifetime`, or shorten the lifetime there',
    },
  ];
}
