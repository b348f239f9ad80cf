import { admit, carryOut, catchDefects, type Means } from '../../client/carry-out.ts';
import { requestIds } from '../../client/exchange.ts';
import type { DecisionEngine } from '../../decide/engine.ts';
import { type Outcome, type Refuse, refuse } from '../../decide/outcome.ts';
import type { Routed, WantedEntity } from '../../decide/routed.ts';
import { readEntity } from '../../forward/read-entity.ts';
import type { LiveGeneration } from '../../generation/generation.ts';
import { PASSES } from '../decision/asker.ts';
import { type AskedCall, openCall } from './asked-call.ts';
import { denying, passing } from './check-response.ts';
import type { CallConnection } from './checked-message.ts';
import type { DescribedBody } from './described-request.ts';
import type { CheckRequest, CheckResponse } from './messages.ts';

/** Answers one call. `connection`: closes if Envoy cancels the call. */
export type CheckCall = (call: CheckRequest, connection: CallConnection, answer: (told: CheckResponse) => void) => void;

/**
 * Envoy's external authorization over gRPC. The engine is the same as for clients, and so are all answers. Envoy forwards the
 * request itself, so this file only translates.
 */
export function buildCheck(live: LiveGeneration): CheckCall {
  const nextId = requestIds();
  return (call, connection, answer) => {
    const { engine, shared } = live.current;
    try {
      const asked = openCall({ call, connection, answer, shared, id: nextId });
      catchDefects(asked.exchange, () => begin(engine, asked));
    } catch (error) {
      // Nothing else would answer, and the library would end the process.
      shared.log.error({ err: error }, 'internal error');
      answer(denying(500, [], '', { code: 'internal_error' }));
    }
  };
}

function begin(engine: DecisionEngine, asked: AskedCall): void {
  const { exchange, fault } = asked;
  const routed = fault ?? admit(engine, exchange, undefined);
  if (routed.kind !== 'routed') exchange.settle(routed);
  else judge(engine, asked, routed);
}

function judge(engine: DecisionEngine, asked: AskedCall, routed: Routed): void {
  const { exchange, body } = asked;
  const need = engine.needs(routed);
  const refusal = unjudgeable(routed, need, body);
  if (refusal !== undefined) exchange.settle(refusal);
  else if (need === undefined || body.kind !== 'whole') carryOut(exchange, engine.decide(routed), BY_CALL, asked);
  else
    readEntity(exchange, routed.route, need, (entity) =>
      carryOut(exchange, engine.decide(routed, entity), BY_CALL, asked),
    );
}

/** What must be read, and did not come. A part of a body is never judged. Shadow mode refuses nothing. */
function unjudgeable(
  { route, preflight }: Routed,
  need: WantedEntity | undefined,
  body: DescribedBody,
): Refuse | undefined {
  // The gateway changes the ids of sessions and filters lists, in answers that go through Envoy alone.
  if (route.shadow) return undefined;
  if (route.mcp !== undefined && !preflight) return refuse('mcp_body_unseen', { route });
  if (need === undefined || body.kind === 'whole') return undefined;
  return refuse(need.tooLarge, { route, detail: BODY_FAULTS[body.kind] });
}

const BODY_FAULTS: Readonly<Record<'partial' | 'unseen', string>> = {
  partial: 'Envoy sent only a part of the body: raise max_request_bytes, or remove allow_partial_message',
  unseen: 'Envoy did not send the body: set with_request_body in ext_authz',
};

const BY_CALL: Means<AskedCall> = {
  forward: (exchange, plan, { answer }) => {
    if (plan.bodyChanged) {
      exchange.settle(refuse('form_token_stays', { route: plan.route, identity: plan.identity }));
      return;
    }
    exchange.answering(PASSES);
    exchange.record('forwarded', plan);
    answer(passing(exchange, plan));
  },
  settle: (exchange, outcome: Exclude<Outcome, { kind: 'forward' }>) => exchange.settle(outcome),
};
