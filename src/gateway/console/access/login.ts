import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { printableValue } from '../../../base/printable.ts';
import { sameBytes, sha256 } from '../../../base/secret.ts';
import type { ServerAccess } from '../../../config/schema/admin.ts';
import { callLimit } from '../../server-client/call-limit.ts';
import { FETCH_DEADLINE } from '../../server-client/fetch-json.ts';
import { authorizationUrl } from '../../server-client/login-request.ts';
import { clearCookie, loginCookieName, openLoginCookies, readCookie, setCookie } from './cookies.ts';
import { type FailedLogin, failedLogin, judgeTokens } from './judge-login.ts';
import { LOGIN_FOR, LoginSeal, type OpenLogin } from './login-seal.ts';
import { type AccessParts, type LoginServer, type LoginServers, redeemLogin } from './login-server.ts';
import { isAtPublicName, publicOrigin } from './own-address.ts';
import { sendArrival, sendFault } from './pages.ts';
import { returnPath } from './return-path.ts';
import type { NewSession } from './sessions.ts';

type OpenSession = (request: FastifyRequest, reply: FastifyReply, made: NewSession) => void;

/** Unfinished logins of one browser. Other sites can start them, and too many cookies would make its requests too large. */
const MOST_OPEN = 5;
/** Answers that are redeemed at a time, and that wait. */
const AT_ONCE = 8;
const WAITING = 64;

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** Login by authorization code and PKCE (RFC 6749 §4.1, RFC 7636). */
export class CodeLogin {
  readonly #parts: AccessParts;
  readonly #servers: LoginServers;
  readonly #opened: OpenSession;
  readonly #seal: LoginSeal;
  readonly #limit = callLimit(AT_ONCE, WAITING);

  constructor(parts: AccessParts, servers: LoginServers, opened: OpenSession) {
    this.#parts = parts;
    this.#servers = servers;
    this.#opened = opened;
    this.#seal = new LoginSeal(parts.live.current.shared.clock);
  }

  addRoutes(app: FastifyInstance): void {
    app.get<{ Querystring: { return?: unknown } }>('/console/login', (request, reply) =>
      this.#begin(request, reply, request.query.return),
    );
    app.get('/console/callback', (request, reply) => this.#end(request, reply));
  }

  async #begin(request: FastifyRequest, reply: FastifyReply, wanted: unknown): Promise<FastifyReply> {
    const { admin } = this.#parts;
    void reply.headers(headers);
    const returnTo = returnPath(wanted, admin.console ? '/console' : '/routes');
    const origin = publicOrigin(admin, request);
    if (!isAtPublicName(admin, request))
      return reply.redirect(`${origin}/console/login?return=${encodeURIComponent(returnTo)}`, 303);
    const found = await this.#servers.find();
    if ('kind' in found) return this.#fail(reply, failedLogin('outage', found.detail));
    const transaction = this.#seal.begin(returnTo);
    this.#remember(request, reply, transaction);
    return reply.redirect(this.#addressAt(found, transaction, `${origin}/console/callback`), 303);
  }

  #remember(request: FastifyRequest, reply: FastifyReply, transaction: OpenLogin): void {
    const open = openLoginCookies(request);
    if (open.length >= MOST_OPEN) for (const name of open) clearCookie(reply, name);
    setCookie(reply, loginCookieName(transaction.proof.state), this.#seal.seal(transaction), LOGIN_FOR);
  }

  #addressAt({ authorizationEndpoint, clientId }: LoginServer, { proof }: OpenLogin, redirectUri: string): string {
    const { scope, resource } = this.#parts.admin.access as ServerAccess;
    const resources = resource === undefined ? [] : [resource];
    return authorizationUrl(
      { authorizationEndpoint },
      { clientId, secret: undefined, scope, resources },
      proof,
      redirectUri,
    );
  }

  async #end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const answer = new URL(request.url, 'http://console.invalid').searchParams;
    const transaction = this.#transactionOf(request, reply, onlyValue(answer, 'state') ?? '');
    if (transaction === undefined)
      return this.#fail(reply, failedLogin('state', 'no login of this browser waits for this answer'));
    const made = await this.#redeem(request, answer, transaction);
    if ('kind' in made) return this.#fail(reply, made);
    // After a reload, the feed of the earlier server is closed, so nothing would end this session.
    if (made.server !== this.#servers.current)
      return this.#fail(reply, failedLogin('state', 'a reload changed the authorization server during the login'));
    this.#opened(request, reply, made);
    return sendArrival(reply, transaction.returnTo);
  }

  /** The cookie proves that this browser began the login (RFC 6749 §10.12). It is good for one answer. */
  #transactionOf(request: FastifyRequest, reply: FastifyReply, state: string): OpenLogin | undefined {
    const name = loginCookieName(state);
    const transaction = this.#seal.open(readCookie(request, name) ?? '');
    if (transaction === undefined || !sameBytes(sha256(transaction.proof.state), sha256(state))) return undefined;
    clearCookie(reply, name);
    return transaction;
  }

  async #redeem(
    request: FastifyRequest,
    answer: URLSearchParams,
    { proof }: OpenLogin,
  ): Promise<NewSession | FailedLogin> {
    const { admin, live } = this.#parts;
    const found = await this.#servers.find();
    if ('kind' in found) return failedLogin('outage', found.detail);
    const code = codeIn(answer, found);
    if (typeof code !== 'string') return code;
    const redirectUri = `${publicOrigin(admin, request)}/console/callback`;
    const tokens = await this.#limit.run(AbortSignal.timeout(FETCH_DEADLINE), () =>
      redeemLogin(found, { code, verifier: proof.verifier, redirectUri }, this.#parts),
    );
    if (typeof tokens === 'string') return failedLogin('outage', `too many logins: ${tokens}`);
    if (tokens.kind === 'failed')
      return failedLogin(tokens.status === undefined ? 'outage' : 'server', `token endpoint: ${tokens.detail}`);
    const access = admin.access as ServerAccess;
    return judgeTokens(tokens.value, { found, access, live, nonce: proof.nonce });
  }

  #fail(reply: FastifyReply, { fault, detail }: FailedLogin): FastifyReply {
    this.#parts.live.current.shared.log.warn({ fault, detail: printableValue(detail) }, 'console: a login failed');
    return sendFault(reply, fault);
  }
}

/** The answer must come from the server that got the request (RFC 9207 §2.4). */
function codeIn(answer: URLSearchParams, { issuer, sendsIssuer }: LoginServer): string | FailedLogin {
  const from = onlyValue(answer, 'iss');
  if (from !== issuer && (sendsIssuer || answer.has('iss')))
    return failedLogin('issuer', `the answer has ${from === undefined ? 'no issuer' : 'another issuer'}`);
  const error = onlyValue(answer, 'error');
  if (error !== undefined) return failedLogin('denied', `error ${error.slice(0, 100)}`);
  return onlyValue(answer, 'code') ?? failedLogin('server', 'the answer has neither a code nor an error');
}

/** RFC 6749 §3.1: a parameter occurs once. */
function onlyValue(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = parameters.getAll(name);
  return more.length === 0 ? value : undefined;
}
