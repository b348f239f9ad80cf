import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { printableValue } from '../../../base/printable.ts';
import { sendError } from '../api-error.ts';
import { clearCookie, readCookie, sessionCookieName, setCookie } from './cookies.ts';
import type { AccessGate } from './gate.ts';
import { GenerationWatch } from './generation-watch.ts';
import { CodeLogin } from './login.ts';
import type { AccessParts, LoginServers } from './login-server.ts';
import { isPagePath } from './own-address.ts';
import { sendSignedOut, sendWayToLogin } from './pages.ts';
import { judgeCall } from './same-origin.ts';
import { type ConsoleSession, ConsoleSessions, LONGEST_SESSION, type NewSession } from './sessions.ts';

/** Operators log in with a browser at an authorization server, and then have a session here. */
export class SessionGate implements AccessGate {
  readonly hasCookie = true;
  readonly #parts: AccessParts;
  readonly #sessions: ConsoleSessions;
  readonly #login: CodeLogin;
  readonly #watch: GenerationWatch;

  constructor(parts: AccessParts, servers: LoginServers) {
    const { live } = parts;
    this.#parts = parts;
    this.#sessions = new ConsoleSessions(live.current.shared.clock);
    this.#login = new CodeLogin(parts, servers, (request, reply, made) => this.#open(request, reply, made));
    // A server with other settings is another server, whose feed says nothing about older tokens.
    this.#watch = new GenerationWatch(live, () => {
      this.#sessions.endWhere(({ server }) => server !== servers.current);
      return this.#sessions.size > 0;
    });
  }

  addRoutes(app: FastifyInstance, origin: string | undefined): void {
    this.#login.addRoutes(app);
    app.get('/console/logged-out', (_request, reply) => sendSignedOut(reply));
    void app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, payload, done) => {
        payload.resume();
        done(null);
      });
      scope.post('/console/logout', (request, reply) => {
        const foreign = judgeCall(request, { origin }, { hasCookie: true, needsJson: false });
        if (foreign !== undefined) return sendError(reply, foreign.status, foreign.error);
        return this.#logOut(request, reply);
      });
    });
    app.addHook('onClose', async () => this.#sessions.endWhere(() => true));
  }

  admit(request: FastifyRequest, reply: FastifyReply) {
    const session = this.#sessionOf(request);
    if (session !== undefined && this.#isConfirmed(session)) return { name: session.name, id: session.id };
    void reply.header('cache-control', 'no-store');
    this.#sendToLogin(request, reply);
    return undefined;
  }

  /** An address for programs may be opened as a page too, and has nothing behind `#`. */
  #sendToLogin(request: FastifyRequest, reply: FastifyReply): void {
    if (!isPage(request)) void reply.code(401).send({ error: 'login_required', login: '/console/login' });
    else if (this.#parts.admin.console) sendWayToLogin(reply, loginAt(request.url));
    else void reply.redirect(loginAt(request.url), 303);
  }

  onEnd(id: string, ended: () => void): () => void {
    return this.#sessions.onEnd(id, ended);
  }

  /** While the feed may have missed a revocation, only a recent login counts. A new login asks the server itself. */
  #isConfirmed({ server, confirmedAt }: ConsoleSession): boolean {
    if (!server.isInDoubt()) return true;
    const { config, shared } = this.#parts.live.current;
    const { max_staleness } = config.authorization_servers[server.name] ?? { max_staleness: 0 };
    return shared.clock.monotonic() - confirmedAt < max_staleness;
  }

  #sessionOf(request: FastifyRequest): ConsoleSession | undefined {
    const value = readCookie(request, sessionCookieName(request.headers.host));
    return value === undefined ? undefined : this.#sessions.find(value);
  }

  /** A browser gets a new value with each login, so no one can plant a known one. */
  #open(request: FastifyRequest, reply: FastifyReply, made: NewSession): void {
    const before = this.#sessionOf(request);
    if (before !== undefined) this.#sessions.end(before.id);
    const { value, session } = this.#sessions.open(made);
    this.#watch.begin();
    setCookie(reply, sessionCookieName(request.headers.host), value, LONGEST_SESSION);
    this.#tell(session, 'console: an operator logged in');
  }

  #logOut(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const session = this.#sessionOf(request);
    clearCookie(reply, sessionCookieName(request.headers.host));
    if (session !== undefined) {
      this.#sessions.end(session.id);
      this.#tell(session, 'console: an operator logged out');
    }
    if (request.headers.accept?.includes('text/html')) return reply.redirect('/console/logged-out', 303);
    return reply.header('cache-control', 'no-store').send({ status: 'logged out', page: '/console/logged-out' });
  }

  #tell({ name, subject }: ConsoleSession, words: string): void {
    const { log } = this.#parts.live.current.shared;
    log.info({ operator: printableValue(name), subject: printableValue(subject ?? '') }, words);
  }
}

/** A program gets 401, because it would read a login page as an answer. */
function isPage(request: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode, accept } = request.headers;
  if (request.method !== 'GET' || !isPagePath(request)) return false;
  return mode === undefined ? accept?.includes('text/html') === true : mode === 'navigate';
}

function loginAt(path: string): string {
  return `/console/login?return=${encodeURIComponent(path)}`;
}
