import { hash } from 'node:crypto';
import type { AuthorizationConfig, ClientConfig } from '../schema/authorization.ts';
import type { AuthorizationServerConfig, GatewayConfig, RouteConfig } from '../schema/gateway.ts';
import { takesTokens } from '../schema/http-schemes.ts';
import { introspects } from '../schema/introspects.ts';
import { didYouMean } from '../words/closest.ts';
import { type Impliers, impliersIn, type ScopeRules } from '../words/implied-scopes.ts';
import { isPlaceholder } from '../words/placeholder.ts';
import type { Finding, Pointer, Position, Problem } from '../words/problem.ts';
import { type Member, membersOf } from './checks.ts';
import { knownScopes } from './client-scope.ts';
import { HEAR } from './feed.ts';
import { mayHaveFeed, trustsSignatures, UNHEARD } from './follows-feed.ts';
import { operatorsAtService } from './operator-misfits.ts';
import { scopeWordsOf } from './scope-words-at.ts';
import { givesJwts } from './token-clients.ts';
import { unusableTokens } from './token-misfits.ts';
import { unattainableScopes } from './unattainable-scopes.ts';

/** A valid file, as the loader returns it. */
export interface SoundFile<Config> {
  readonly config: Config;
  readonly locate: (pointer: Pointer) => Position;
}

type Server = Member<AuthorizationServerConfig>;

/** The gateway's file, its server that is the service of the other file, and the other file. */
interface Pair {
  readonly admin: GatewayConfig['admin'];
  readonly server: Server;
  /** The routes that accept tokens of no other server. */
  readonly routes: readonly Member<RouteConfig>[];
  /** The gateway's scopes that imply others. Empty if another server could grant them. */
  readonly stronger: ScopeRules;
  readonly impliersOf: Impliers;
  readonly service: AuthorizationConfig;
  /** The place of a value in the service's file, for messages. */
  readonly cite: (pointer: Pointer) => string;
}

/**
 * Reports where a gateway's file and its authorization service's file do not fit together, although each is valid. These are
 * warnings in the gateway's file, because the service's database may have more clients than its file.
 */
export function misfits(
  gateway: SoundFile<GatewayConfig>,
  authorization: SoundFile<AuthorizationConfig>,
): readonly Problem[] {
  const service = authorization.config;
  // Without secrets, the value of a placeholder may fit.
  if ([service.issuer, ...service.resources].some(isPlaceholder)) return [];
  const servers = membersOf('authorization_servers', gateway.config.authorization_servers);
  const server = servers.find(({ value }) => value.issuer === service.issuer);
  const cite = (pointer: Pointer) => {
    const { file, line } = authorization.locate(pointer);
    return line === 0 ? file : `${file}:${line}`;
  };
  const routes = routesOnlyOf(server, gateway.config);
  const { scopes, admin } = gateway.config;
  const stronger = servers.length > 1 ? {} : (scopes ?? {});
  const pair = { admin, routes, stronger, impliersOf: impliersIn(scopes), service, cite };
  const findings =
    server === undefined
      ? strangers(servers, service.issuer, cite)
      : rules.flatMap((rule) => rule({ ...pair, server }));
  const told = findings.filter(({ message }) => !isPlaceholder(message));
  return told.map(({ pointer, message, hint }) => ({
    severity: 'warning',
    ...gateway.locate(pointer),
    message,
    ...(hint !== undefined && { hint }),
  }));
}

/** If no server is the service, the gateway rejects every token of the service. */
function strangers(servers: readonly Server[], issuer: string, cite: Pair['cite']): readonly Finding[] {
  return servers.slice(0, 1).map(({ at, value }) => ({
    pointer: [...at, 'issuer'],
    message:
      servers.length === 1
        ? `\`${value.issuer}\` is not the issuer of ${cite(['issuer'])}`
        : `none of the authorization servers is the issuer of ${cite(['issuer'])}`,
    hint: didYouMean(value.issuer, [issuer]),
  }));
}

const rules: readonly ((pair: Pair) => readonly Finding[])[] = [
  audienceOfServer,
  audiencesOfRoutes,
  scopesOfRoutes,
  unattainableScopes,
  unusableTokens,
  clientOfGateway,
  feedOfGateway,
  operatorsAtService,
];

function audienceOfServer({ server: { at, value }, service, cite }: Pair): readonly Finding[] {
  return audienceFault([...at, 'audience'], value.audience, service, cite);
}

function audiencesOfRoutes({ routes, service, cite }: Pair): readonly Finding[] {
  return routes.flatMap(({ at, value }) => audienceFault([...at, 'audience'], value.audience, service, cite));
}

function audienceFault(
  pointer: Pointer,
  audience: string | undefined,
  { resources }: AuthorizationConfig,
  cite: Pair['cite'],
): readonly Finding[] {
  if (audience === undefined || audience === 'any' || resources.includes(audience)) return [];
  const message = `\`${audience}\` is not in \`resources\` of ${cite(['resources'])}: the service issues no token for this audience`;
  return [{ pointer, message, hint: didYouMean(audience, resources) }];
}

/** Skips scopes that another server may grant, and scopes that a known one implies. */
function scopesOfRoutes({ routes, stronger, impliersOf, service, cite }: Pair): readonly Finding[] {
  const known = knownScopes(service);
  const required = routes
    .flatMap(({ at, value }) => scopeWordsOf(at, value))
    .filter(({ word }) => !impliersOf(word).some((each) => known.includes(each)));
  const implying = Object.keys(stronger).map((word) => ({ pointer: ['scopes', word], word }));
  return [...required, ...implying]
    .filter(({ word }) => !known.includes(word))
    .map(({ pointer, word }) => ({
      pointer,
      message: `\`${word}\` is not in \`scopes\` of ${cite(['scopes'])}: no token of the service can have this scope`,
      hint: didYouMean(word, known),
    }));
}

/** The routes that accept tokens of no other server. */
function routesOnlyOf(server: Server | undefined, { routes, authorization_servers }: GatewayConfig): Pair['routes'] {
  const all = Object.keys(authorization_servers);
  return membersOf('routes', routes).filter(
    ({ value }) => takesTokens(value) && (value.authorization_servers ?? all).every((name) => name === server?.name),
  );
}

function clientOfGateway({ admin, server: { at, value }, service, cite }: Pair): readonly Finding[] {
  const { client_id: id } = value;
  if (id === undefined) return [];
  const pointer = [...at, 'client_id'];
  const index = service.clients.findIndex(({ client_id }) => client_id === id);
  const client = service.clients[index];
  if (client !== undefined)
    return rightFaults(at, value, client, {
      place: cite(['clients', index]),
      readsKeys: readsSecretKeys(value, service, admin),
    });
  const hint = didYouMean(
    id,
    service.clients.filter(({ introspect }) => introspect).map(({ client_id }) => client_id),
  );
  const add = `add it there with \`introspect: true\`, unless the database has this client (\`gatehouse client list\`)`;
  return [{ pointer, message: `${cite(['clients'])} has no client \`${id}\``, hint: hint ?? add }];
}

/** The gateway does not follow the feed that reports the service's revocations, although neither file has a fault. */
function feedOfGateway({ admin, server: { at, value }, service, cite }: Pair): readonly Finding[] {
  const unheard = consequence(value, service, admin);
  if (value.events !== undefined || unheard === undefined) return [];
  const index = service.clients.findIndex(({ client_id }) => client_id === value.client_id);
  const mayFollow = index === -1 || service.clients[index]?.events === true;
  if (mayHaveFeed(value) && mayFollow) return [];
  const place = mayHaveFeed(value) ? ['clients', index] : ['issuer'];
  const message = `the gateway does not follow the revocation feed of the service (${cite(place)}): ${unheard}`;
  return [{ pointer: at, message, hint: HEAR }];
}

/** The effect of not following the feed. Undefined: the gateway learns of revocations in another way. */
function consequence(
  server: AuthorizationServerConfig,
  service: AuthorizationConfig,
  admin: Pair['admin'],
): string | undefined {
  if (trustsSignatures(server) && givesJwts(service, admin)) return UNHEARD;
  const { ttl } = server.cache;
  return introspects(server) && ttl > 0 ? `revoked tokens pass for up to \`cache.ttl\` (${ttl / 1000} s)` : undefined;
}

/** With HS256, the key of a user is a secret. */
function readsSecretKeys(
  { verify }: AuthorizationServerConfig,
  service: AuthorizationConfig,
  admin: Pair['admin'],
): boolean {
  const { alg, user_keys } = service.signing;
  return alg === 'HS256' && user_keys && verify !== 'introspection' && givesJwts(service, admin);
}

function rightFaults(
  at: Pointer,
  server: AuthorizationServerConfig,
  client: ClientConfig,
  { place, readsKeys }: { readonly place: string; readonly readsKeys: boolean },
): readonly Finding[] {
  const pointer = [...at, 'client_id'];
  const { client_id: id, introspect, events, keys } = client;
  const follows = server.events !== undefined && server.events !== 'none';
  const missing = [
    ...(introspects(server) && !introspect ? [['introspect', 'introspect tokens']] : []),
    ...(follows && !events ? [['events', 'follow the revocation feed']] : []),
    ...(readsKeys && !keys ? [['keys', 'fetch the secret keys of users']] : []),
  ];
  return [
    ...missing.map(([right, may]) => ({
      pointer,
      message: `the client \`${id}\` (${place}) may not ${may}`,
      hint: `write \`${right}: true\` there`,
    })),
    ...(hasOtherSecret(server, client)
      ? [{ pointer: [...at, 'client_secret'], message: `the secret of \`${id}\` differs from the secret in ${place}` }]
      : []),
  ];
}

function hasOtherSecret(
  { client_secret: ours }: AuthorizationServerConfig,
  { client_secret: theirs, client_secret_sha256 }: ClientConfig,
): boolean {
  if (ours === undefined || [ours, theirs ?? ''].some(isPlaceholder)) return false;
  if (client_secret_sha256 !== undefined) return hash('sha256', ours, 'hex') !== client_secret_sha256;
  return theirs !== undefined && theirs !== ours;
}
