import { admit, carryOut, catchDefects, type Means } from '../../client/carry-out.ts';
import { Exchange, requestIds, type Shared } from '../../client/exchange.ts';
import type { IncomingRequest } from '../../client/incoming-request.ts';
import type { OwnAnswer } from '../../client/problem-response.ts';
import { clientPeerOf } from '../../client/trusted-proxies.ts';
import type { DecisionEngine } from '../../decide/engine.ts';
import { type Forward, type Outcome, type Refuse, refuse } from '../../decide/outcome.ts';
import type { Routed } from '../../decide/routed.ts';
import type { Generation, LiveGeneration } from '../../generation/generation.ts';
import { type RequestHead, readHead, type Via } from '../../message/request-head.ts';
import { allowance } from './allowance.ts';
import { BODILESS, PASSES, undescribed, untrusted } from './asker.ts';
import { type DecisionPath, type Dialect, dialectOf, paths } from './dialects.ts';
import { lifetimeOf } from './lifetime.ts';
import { originalHead } from './original-head.ts';
import { passedOn } from './refusal.ts';

/**
 * The decision endpoint: a proxy asks whether a request passes, and forwards the request itself. The engine is the same
 * as for clients. This file only reads the proxy's request and answers it.
 */
export function buildDecisionEndpoint(live: LiveGeneration): (arrival: IncomingRequest) => void {
  const nextId = requestIds();
  return (arrival) => {
    const { current } = live;
    if (current.shared.listener.doomed.has(arrival.request.socket)) return;
    try {
      const question = read(arrival, current, nextId);
      catchDefects(question.exchange, () => begin(question));
    } catch (error) {
      current.shared.log.error({ err: error }, 'internal error');
      arrival.request.socket.destroy();
    }
  };
}

/** One decision request, from its head to its answer. */
interface Open {
  readonly exchange: Exchange;
  readonly generation: Generation;
  /** Undefined: the caller gets an ordinary answer, because the path names no dialect or the caller may not ask. */
  readonly via: Via | undefined;
  readonly fault: Refuse | undefined;
  /** By the proxy's clock. */
  readonly now: number | undefined;
}

function read(arrival: IncomingRequest, generation: Generation, nextId: () => string): Open {
  const { request, response } = arrival;
  const { shared } = generation;
  const origin = shared.originOf(clientPeerOf(request, shared.requestIdHeaderLower));
  const { fault, head, via, now } = headOf(arrival, dialectOf(arrival.target), origin);
  const exchange = new Exchange(request, response, head, origin.requestId ?? nextId(), false, shared);
  return { exchange, generation, via, fault, now };
}

type Read = Pick<Open, 'via' | 'fault' | 'now'> & { readonly head: RequestHead };

function headOf(
  { request, target }: IncomingRequest,
  asked: DecisionPath | undefined,
  origin: RequestHead['origin'],
): Read {
  const { rawHeaders } = request;
  const method = request.method ?? '';
  const asItCame = readHead({ method, target, version: '1.1', origin, rawHeaders });
  if (!origin.isProxied) return { ...unasked, head: asItCame, fault: untrusted(origin.address) };
  if (asked === undefined)
    return {
      ...unasked,
      head: asItCame,
      fault: undescribed({ detail: `the decision endpoint answers only at ${paths}` }),
    };
  const { dialect, rest } = asked;
  const told = dialect.read({ request, rest });
  if (told.kind === 'unclear') return { ...unasked, head: asItCame, fault: undescribed(told) };
  const head = originalHead({ original: told, origin, isClientTold: isTold(origin, dialect), dialect, rawHeaders });
  return { head, via: dialect.via, fault: undefined, now: told.now };
}

const unasked = { via: undefined, now: undefined };

/**
 * Whether another proxy sits in front of the asking proxy. The address that some proxies always add is their own, and
 * does not count.
 */
function isTold({ chain }: RequestHead['origin'], { addsItself }: Dialect): boolean {
  return chain.split(', ').length > (addsItself ? 2 : 1);
}

function begin(question: Open): void {
  const { exchange, generation, fault } = question;
  const routed = fault ?? admit(generation.engine, exchange, undefined);
  if (routed.kind === 'routed') carryOut(exchange, decide(generation.engine, routed), BY_ANSWER, question);
  else settle(question, routed);
}

const BY_ANSWER: Means<Open> = {
  forward: (_, plan, question) => allow(question, plan),
  settle: (_, outcome, question) => settle(question, outcome),
};

function decide(engine: DecisionEngine, routed: Routed): Outcome | Promise<Outcome> {
  const { route, head, preflight } = routed;
  // The proxy would also forward session ids that only the gateway can open.
  if (route.mcp !== undefined && !preflight && !route.shadow) return refuse('mcp_body_unseen', { route });
  const isJudged = !preflight && !route.shadow && route.access !== 'public';
  if (isJudged && !BODILESS.has(head.method) && route.schemes.some((scheme) => scheme.wantsEntity(head) !== undefined))
    return refuse('integrity_too_large', {
      route,
      detail: 'the asking proxy does not send the body, so the gateway cannot check the hash of the body',
    });
  return engine.decide(routed);
}

function allow({ exchange, generation, via, now }: Open, plan: Forward): void {
  const { head, shared } = exchange;
  const { config, decisionVary: vary } = generation;
  exchange.answering(PASSES);
  exchange.record('forwarded', plan);
  if (via === undefined) throw new Error('no client may ask the decision endpoint');
  const lifetime = lifetimeOf(plan, { maxAge: config.decision_max_age, now: shared.clock.now() / 1000 });
  const { requestIdHeaderLower: requestIdHeader } = shared;
  const lines = allowance({ head, plan, via, lifetime, now, vary, requestIdHeader });
  const origins = aboutOrigins(shared, head).slice(VARY_LINE);
  send(exchange, { ...PASSES, headers: [...lines, shared.requestIdHeader, exchange.requestId, ...origins] });
}

function settle(question: Open, outcome: Exclude<Outcome, Forward>): void {
  const { exchange, via } = question;
  const passed = via && passedOn[via];
  if (outcome.kind !== 'reply') {
    sendWithOrigins(exchange, exchange.refusal(outcome, passed?.refusal));
    return;
  }
  const reply = passed === undefined ? outcome : passed.reply(outcome);
  if (reply === undefined) {
    settle(question, refuse('answer_undeliverable'));
    return;
  }
  exchange.answering(reply);
  exchange.record('answered', outcome);
  sendWithOrigins(exchange, reply);
}

function sendWithOrigins(exchange: Exchange, told: OwnAnswer): void {
  send(exchange, { ...told, headers: [...told.headers, ...aboutOrigins(exchange.shared, exchange.head)] });
}

/** The cross-origin lines begin with their own Vary. If an answer has two such lines, nginx reads only one. */
const VARY_LINE = 2;

function send(exchange: Exchange, { status, headers, body }: OwnAnswer): void {
  const { response, request, gone } = exchange;
  if (response.headersSent || gone) return;
  exchange.beforeHead();
  response.writeHead(status, [...headers]);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function aboutOrigins({ crossOrigin }: Shared, head: RequestHead): readonly string[] {
  return crossOrigin?.answer(head) ?? [];
}
