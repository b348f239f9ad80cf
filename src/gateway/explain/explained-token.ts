import { difference } from '../../base/near-miss.ts';
import type { AuthorizationServerConfig, GatewayConfig } from '../../config/schema/gateway.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { looksLikeJwt, type ParsedJwt, parseJwt } from '../../jwt/parse.ts';
import type { Outcome } from '../decide/outcome.ts';
import type { Route } from '../decide/route.ts';
import { answerChecks } from './answer-checks.ts';
import { jwtChecks } from './jwt-checks.ts';
import { permitChecks } from './permit-checks.ts';
import { fails, type TokenCheck, unknownToken } from './token-check.ts';

/** Compares a token with what the file requires. Only the outcome says whether the token is verified. */
export interface ExplainedToken {
  readonly kind: 'jwt' | 'opaque' | 'malformed';
  /**
   * The configuration name of the authorization server whose block judges the token. Undefined: no server is
   * responsible.
   */
  readonly server: string | undefined;
  /** alg, typ and kid of a JWT. */
  readonly header?: object;
  /** The judged claims of a JWT. */
  readonly claims?: object;
  /** The members of the introspection answer that are judged. */
  readonly introspection?: object | undefined;
  readonly checks: readonly TokenCheck[];
}

/** A token, and the result of the request with this token. */
export interface TokenScene {
  readonly config: GatewayConfig;
  readonly token: string;
  readonly route: Route | undefined;
  /** The outcome if the route enforced. */
  readonly outcome: Outcome;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Configuration name of a server → its introspection answer. */
  readonly heard: ReadonlyMap<string, JsonObject>;
}

export function explainToken(scene: TokenScene): ExplainedToken {
  if (!looksLikeJwt(scene.token)) return explainOpaque(scene);
  const jwt = parseJwt(scene.token);
  return jwt.kind === 'parsed' ? explainJwt(jwt, scene) : malformed(jwt.detail);
}

function malformed(detail = 'not a JWT'): ExplainedToken {
  return { kind: 'malformed', server: undefined, checks: [fails('form', detail, 'a compact JWS (RFC 7515)')] };
}

function explainJwt(jwt: ParsedJwt, scene: TokenScene): ExplainedToken {
  const servers = serversOf(scene);
  const named = responsible(jwt.claims.iss, servers);
  const [server, block] = named ?? [];
  const { iss, aud, exp, nbf, iat } = jwt.claims;
  const answer = server === undefined ? undefined : scene.heard.get(server);
  const checks = [
    ...jwtChecks(jwt, { block, issuers: servers.map(([, { issuer }]) => issuer), ...scene }),
    ...(answer === undefined || block === undefined ? [] : ofAnswer(answerChecks(answer, { ...scene, block }))),
    ...permitChecks(jwt.claims, { ...scene, server, block }),
  ];
  const introspection = answer && judged(answer);
  return { kind: 'jwt', server, header: jwt.header, claims: { iss, aud, exp, nbf, iat }, introspection, checks };
}

/** The names of these checks are also claims of a token, so the texts name the answer. */
function ofAnswer(checks: readonly TokenCheck[]): readonly TokenCheck[] {
  return checks.map((each) => (each.name === 'active' ? each : { ...each, name: `${each.name} (introspection)` }));
}

/** Checks the token by the answer of the server that was asked. Only this server knows an opaque token. */
function explainOpaque(scene: TokenScene): ExplainedToken {
  const [server, answer] = [...scene.heard][0] ?? [];
  const block = server === undefined ? undefined : scene.config.authorization_servers[server];
  if (answer === undefined || block === undefined) return { kind: 'opaque', server, checks: [unasked(scene.outcome)] };
  const permits = answer.active === true ? permitChecks(answer, { ...scene, server, block }) : [];
  const checks = [...answerChecks(answer, { ...scene, block }), ...permits];
  return { kind: 'opaque', server, introspection: judged(answer), checks };
}

function unasked(outcome: Outcome): TokenCheck {
  const why = outcome.kind === 'unavailable' ? outcome.outage.detail : 'detail' in outcome ? outcome.detail : undefined;
  return unknownToken('active', why ?? 'no server was asked about this token', 'true');
}

/** The members that the checks read. An answer may also contain names of people, which no check needs. */
function judged({ active, iss, aud, token_type, scope, exp, nbf, iat }: JsonObject): object {
  return { active, iss, aud, token_type, scope, exp, nbf, iat };
}

type NamedServer = readonly [name: string, block: AuthorizationServerConfig];

/** From the route, or from the file if no route matched. */
function serversOf({ config, route }: TokenScene): readonly NamedServer[] {
  const of = config.routes.find(({ id }) => id === route?.id)?.authorization_servers;
  const all = Object.entries(config.authorization_servers);
  return of === undefined ? all : all.filter(([name]) => of.includes(name));
}

/** The server that the token names. Otherwise a server with a similar issuer, or the only one. */
function responsible(iss: unknown, servers: readonly NamedServer[]): NamedServer | undefined {
  const exact = servers.find(([, { issuer }]) => issuer === iss);
  const near = servers.find(([, { issuer }]) => difference(iss, [issuer]) !== undefined);
  return exact ?? near ?? (servers.length === 1 ? servers[0] : undefined);
}
