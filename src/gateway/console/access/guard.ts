import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isByBasic, isByServer } from '../../../config/schema/admin.ts';
import { basicGate } from './basic-gate.ts';
import { type AccessGate, type Operator, openGate } from './gate.ts';
import { type AccessParts, LoginServers } from './login-server.ts';
import { isOfConsole, isOpenToProbes, ownPages, routeOf } from './own-address.ts';
import { changesState, judgeCall } from './same-origin.ts';
import { SessionGate } from './session-gate.ts';

export type { Operator } from './gate.ts';

/** Who may use the listener for operators, for the code that serves it. */
export interface ConsoleAccess {
  /** The operator who sent this request. */
  who(request: FastifyRequest): Operator;
  /**
   * Calls `ended` when this session ends; a moment later the connection of each request of the session closes. Returns a
   * function that stops this.
   */
  onSessionEnd(id: string, ended: () => void): () => void;
}

/** The addresses of a login, which judge their requests by themselves. */
const LOGIN: ReadonlySet<string> = new Set([
  '/console/login',
  '/console/callback',
  '/console/logout',
  '/console/logged-out',
]);

/** Puts the rules of `admin.access` in front of every address of the listener, except those for probes. */
export function guardConsole(app: FastifyInstance, parts: AccessParts): ConsoleAccess {
  const { origin } = ownPages(parts.admin);
  const gate = gateOf(app, parts, origin);
  const operators = new WeakMap<FastifyRequest, Operator>();
  app.addHook('onRequest', async (request, reply) => {
    if (isOpenToProbes(request) || (gate.hasCookie && LOGIN.has(routeOf(request)))) return;
    const operator = await gate.admit(request, reply);
    if (operator === undefined) return reply;
    operators.set(request, operator);
    if (operator.id !== undefined) endWith(gate, operator.id, reply);
    const foreign = isJudged(request, gate) ? judgeCall(request, { origin }, rulesOf(gate)) : undefined;
    if (foreign !== undefined) return reply.code(foreign.status).send({ error: foreign.error });
  });
  if (parts.admin.console) {
    const logout = gate.hasCookie ? '/console/logout' : null;
    app.get('/api/operator', (request) => ({ name: operators.get(request)?.name ?? null, logout }));
  }
  return {
    who: (request) => operators.get(request) ?? { name: undefined, id: undefined },
    onSessionEnd: (id, ended) => gate.onEnd(id, ended),
  };
}

function gateOf(app: FastifyInstance, parts: AccessParts, origin: string | undefined): AccessGate {
  const { admin, live } = parts;
  if (isByBasic(admin.access)) return basicGate(live);
  if (!isByServer(admin.access)) return openGate;
  const gate = new SessionGate(parts, new LoginServers(admin.access, live));
  gate.addRoutes(app, origin);
  return gate;
}

/** Without a login, the older addresses keep their own rules. */
function isJudged(request: FastifyRequest, gate: AccessGate): boolean {
  return changesState(request) && (gate !== openGate || isOfConsole(request));
}

function rulesOf({ hasCookie }: AccessGate) {
  return { hasCookie, needsJson: true };
}

/** An answer that is still open when the session ends is a stream. Its owner may say goodbye first. */
function endWith(gate: AccessGate, id: string, reply: FastifyReply): void {
  const stop = gate.onEnd(id, () => setImmediate(() => reply.raw.destroy()));
  reply.raw.once('close', stop);
}
