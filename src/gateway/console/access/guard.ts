import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isByBasic, isByServer } from '../../../config/schema/admin.ts';
import { sendError } from '../api-error.ts';
import { basicGate } from './basic-gate.ts';
import { type AccessGate, type Operator, openGate } from './gate.ts';
import { type AccessParts, LoginServers } from './login-server.ts';
import { isOfConsole, isOpenToProbes, ownPages, routeOf } from './own-address.ts';
import { LOGIN_PATHS } from './return-path.ts';
import { changesState, judgeCall } from './same-origin.ts';
import { SessionGate } from './session-gate.ts';

/** Puts the rules of `admin.access` in front of every address of the listener, except those for probes. */
export function guardConsole(app: FastifyInstance, parts: AccessParts): void {
  const { origin } = ownPages(parts.admin);
  const gate = gateOf(app, parts, origin);
  const operators = new WeakMap<FastifyRequest, Operator>();
  app.addHook('onRequest', async (request, reply) => {
    if (isOpenToProbes(request) || (gate.hasCookie && LOGIN_PATHS.has(routeOf(request)))) return;
    const operator = await gate.admit(request, reply);
    if (operator === undefined) return reply;
    // `close` comes only once. After it, nothing would end a stream of this request.
    if (reply.raw.destroyed) return reply.hijack();
    operators.set(request, operator);
    if (operator.id !== undefined) endWith(gate, operator.id, reply);
    const foreign = isJudged(request, gate) ? judgeCall(request, { origin }, rulesOf(gate)) : undefined;
    if (foreign !== undefined) return sendError(reply, foreign.status, foreign.error);
  });
  if (parts.admin.console) {
    const logout = gate.hasCookie ? '/console/logout' : null;
    app.get('/api/operator', (request) => ({ name: operators.get(request)?.name ?? null, logout }));
  }
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
