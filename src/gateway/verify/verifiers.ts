import { refused } from '../../base/verdict.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { issuerMismatch } from '../../jwt/claim-mismatches.ts';
import { looksLikeJwt, MAX_TOKEN_LENGTH, parseJwt } from '../../jwt/parse.ts';
import type { Verification, VerifyBearer, WatchToken } from '../message/identity.ts';
import type { AuthorizationServer, ServerStats } from './authorization-server.ts';
import { openAuthorizationServer, type ServerDependencies } from './open-authorization-server.ts';

/** The verifiers of one loaded file. Routes share servers, and with them caches and keys. */
export interface BearerVerifiers {
  /** For a route that accepts these servers, in the order of the configuration. */
  verifier(serverNames: readonly string[]): VerifyBearer;
  /** Undefined: the file has no server of this name. */
  server(name: string): AuthorizationServer | undefined;
  /**
   * Watches a token at the server that issued the identity. An identity without an authorization server does not end.
   */
  readonly watch: WatchToken;
  /**
   * Starts to fetch metadata and keys of new servers, and to check their stores. Settles when each server has been
   * tried once, and never rejects.
   */
  start(): Promise<void>;
  /** Every server has been tried. If servers need keys or a store, at least one is usable. */
  ready(): boolean;
  /** Each unusable server: its place in the file, and the reason. */
  faults(): readonly string[];
  stats(): Iterable<ServerStats>;
  close(): Promise<void>;
}

export function buildVerifiers(
  { authorization_servers, development }: Pick<GatewayConfig, 'authorization_servers' | 'development'>,
  dependencies: Omit<ServerDependencies, 'development'>,
  open: typeof openAuthorizationServer = openAuthorizationServer,
): BearerVerifiers {
  const servers = new Map(
    Object.entries(authorization_servers).map(([name, config]) => [
      name,
      open(name, config, { ...dependencies, development }),
    ]),
  );
  const all = [...servers.values()];
  return {
    verifier: (names) => routeVerifier(names.map((name) => found(servers, name))),
    server: (name) => servers.get(name),
    watch: (identity, end) => servers.get(identity.server)?.watch(identity, end) ?? (() => {}),
    start: async () => void (await Promise.all(all.map((server) => server.start()))),
    ready: () => isReady(all),
    faults: () => all.filter((server) => server.usable() === false).map(faultOf),
    stats: () => all.map((server) => server.stats()),
    close: async () => void (await Promise.all(all.map((server) => server.close()))),
  };
}

function found(servers: ReadonlyMap<string, AuthorizationServer>, name: string): AuthorizationServer {
  const server = servers.get(name);
  if (server === undefined) throw new Error(`no authorization server is called ${name}`);
  return server;
}

function faultOf(server: AuthorizationServer): string {
  return `authorization_servers.${server.name}: ${server.fault() ?? 'no answer yet'}`;
}

/** A server that also introspects serves without keys. A server that is down must not put the others out of service. */
function isReady(servers: readonly AuthorizationServer[]): boolean {
  const known = servers.map((server) => server.usable()).filter((usable) => usable !== undefined);
  return servers.every((server) => server.tried()) && (known.length === 0 || known.includes(true));
}

/**
 * The cache is looked up by the whole token, before parsing. Only tokens that passed the strict parser are cached, so
 * no other spelling of a token can be found.
 */
function routeVerifier(servers: readonly AuthorizationServer[]): VerifyBearer {
  const opaqueOwner = chooseByPrefix(servers);
  const byIssuer = new Map(servers.toReversed().map((server) => [server.issuer, server]));
  const isOwner = (server: AuthorizationServer, token: string, jwt: boolean) =>
    jwt ? byIssuer.get(server.issuer) === server : opaqueOwner(token) === server;
  return (token) => {
    for (const server of servers) {
      const remembered = server.recall(token);
      if (remembered !== undefined && isOwner(server, token, remembered.jwt)) return remembered.answer;
    }
    if (token.length > MAX_TOKEN_LENGTH) return refused('token_malformed', 'too long');
    return looksLikeJwt(token) ? verifyJwt(byIssuer, token) : verifyOpaque(servers, opaqueOwner(token), token);
  };
}

/** The unverified `iss` only chooses the server (RFC 8725 §3.8). This server compares it again. */
function verifyJwt(
  byIssuer: ReadonlyMap<string, AuthorizationServer>,
  token: string,
): Verification | Promise<Verification> {
  const jwt = parseJwt(token);
  if (jwt.kind === 'refused') return jwt;
  const { iss } = jwt.claims;
  const server = typeof iss === 'string' ? byIssuer.get(iss) : undefined;
  return server?.verifyJwt(jwt) ?? refused('token_issuer', undefined, issuerMismatch(iss, [...byIssuer.keys()]));
}

function verifyOpaque(
  servers: readonly AuthorizationServer[],
  owner: AuthorizationServer | undefined,
  token: string,
): Verification | Promise<Verification> {
  if (owner !== undefined) return owner.verifyOpaque(token);
  return servers.some((server) => server.introspects)
    ? refused('token_inactive')
    : refused('token_malformed', notAJwt(servers));
}

/** If no server is asked about opaque tokens, perhaps by mistake, the detail names the missing setting. */
function notAJwt(servers: readonly AuthorizationServer[]): string {
  const lacking = servers.filter((server) => server.lacksClient).map(({ name }) => `authorization_servers.${name}`);
  if (lacking.length === 0) return NOT_A_JWT;
  return `${NOT_A_JWT}, and the gateway cannot introspect opaque tokens without \`client_id\` (${lacking.join(', ')})`;
}

const NOT_A_JWT = 'not a JWT';

/**
 * Chooses the introspecting server. Among several, the longest matching prefix decides. Undefined: none matches.
 */
function chooseByPrefix(servers: readonly AuthorizationServer[]): (token: string) => AuthorizationServer | undefined {
  const introspecting = servers.filter((server) => server.introspects);
  if (introspecting.length <= 1) return () => introspecting[0];
  const longestFirst = introspecting
    .filter((server) => server.tokenPrefix !== '')
    .sort((left, right) => right.tokenPrefix.length - left.tokenPrefix.length);
  return (token) => longestFirst.find((server) => token.startsWith(server.tokenPrefix));
}
