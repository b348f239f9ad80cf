import { admit, carryOut, catchDefects, type Means } from '../../client/carry-out.ts';
import { Exchange, requestIds, type Shared } from '../../client/exchange.ts';
import type { DecisionEngine } from '../../decide/engine.ts';
import { type Outcome, type Refuse, refuse } from '../../decide/outcome.ts';
import type { Routed, WantedEntity } from '../../decide/routed.ts';
import { readEntity } from '../../forward/read-entity.ts';
import type { LiveGeneration } from '../../generation/generation.ts';
import { type Origin, readHead } from '../../message/request-head.ts';
import type { Unclear } from '../decision/decision-request.ts';
import { withSeparatedCredentials } from '../decision/separated-lines.ts';
import { denying, passing } from './check-response.ts';
import { type CallConnection, CheckedRequest, CheckedResponse } from './checked-message.ts';
import { type DescribedBody, type DescribedRequest, describedRequest } from './described-request.ts';
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
      const asked = open({ call, connection, answer, shared, id: nextId });
      catchDefects(asked.exchange, () => begin(engine, asked));
    } catch (error) {
      // Nothing else would answer, and the library would end the process.
      shared.log.error({ err: error }, 'internal error');
      answer(denying(500, [], '', { code: 'internal_error' }));
    }
  };
}

interface Opening {
  readonly call: CheckRequest;
  readonly connection: CallConnection;
  readonly answer: (told: CheckResponse) => void;
  readonly shared: Shared;
  readonly id: () => string;
}

/** One call, from its head to its answer. */
interface Asked {
  readonly exchange: Exchange;
  readonly fault: Refuse | undefined;
  readonly body: DescribedBody;
  readonly answer: (told: CheckResponse) => void;
}

const NOTHING: Omit<DescribedRequest, 'kind'> = {
  method: 'POST',
  target: '/',
  rawHeaders: [],
  source: undefined,
  isSecure: false,
  body: { kind: 'unseen' },
};

function open({ call, connection, answer, shared, id }: Opening): Asked {
  const described = describedRequest(call);
  const told = described.kind === 'described' ? described : NOTHING;
  const asking = shared.originOf({
    address: connection.remoteAddress,
    secure: false,
    rawHeaders: withSource(told),
    requestIdHeader: shared.requestIdHeaderLower,
  });
  const rawHeaders = withSeparatedCredentials(told.rawHeaders);
  const head = readHead({
    method: told.method,
    target: told.target,
    version: '1.1',
    origin: clientOrigin(asking, told),
    rawHeaders,
  });
  const response = new CheckedResponse(connection, (status, fields, body) =>
    answer(denying(status, fields, body, factsOf(fields, body))),
  );
  const exchange = new Exchange(
    new CheckedRequest(told, connection),
    response,
    head,
    asking.requestId ?? id(),
    false,
    shared,
  );
  return { exchange, fault: faultOf(asking, described), body: told.body, answer };
}

/**
 * The address of the connection to Envoy is certain. Envoy appends it to X-Forwarded-For only with `use_remote_address`, so
 * without it a client could write any address there.
 */
function withSource({ rawHeaders, source }: Omit<DescribedRequest, 'kind'>): readonly string[] {
  if (source === undefined) return rawHeaders;
  const lines = rawHeaders.filter(
    (_, index) => rawHeaders[index - (index % 2)] === 'x-forwarded-for' && index % 2 === 1,
  );
  const last = lines.at(-1)?.split(',').at(-1)?.trim();
  return last === source ? rawHeaders : [...rawHeaders, 'x-forwarded-for', source];
}

/** Replaces an unknown address. All clients without an address share their limits. */
const UNKNOWN = '0.0.0.0';

function clientOrigin({ chain, address, requestId }: Origin, { isSecure }: Omit<DescribedRequest, 'kind'>): Origin {
  // With one address, it is Envoy's own: Envoy told none, or a text that is no address.
  return {
    address: chain.includes(',') ? address : UNKNOWN,
    secure: isSecure,
    chain,
    host: undefined,
    requestId,
    isProxied: false,
    via: 'envoy',
  };
}

function faultOf({ isProxied, address }: Origin, described: DescribedRequest | Unclear): Refuse | undefined {
  if (!isProxied)
    return refuse('caller_untrusted', {
      detail: `${address} is not in trusted_proxies: add it there if it is the asking proxy`,
    });
  return described.kind === 'unclear' ? refuse('question_unclear', { detail: described.detail }) : undefined;
}

function begin(engine: DecisionEngine, asked: Asked): void {
  const { exchange, fault } = asked;
  const routed = fault ?? admit(engine, exchange, undefined);
  if (routed.kind !== 'routed') exchange.settle(routed);
  else judge(engine, asked, routed);
}

function judge(engine: DecisionEngine, asked: Asked, routed: Routed): void {
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
  partial: 'Envoy sent a part of the body: raise max_request_bytes, or leave allow_partial_message out',
  unseen: 'Envoy did not send the body: set with_request_body in ext_authz',
};

const BY_CALL: Means<Asked> = {
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

const PASSES = { status: 200, headers: [], body: '' };

/** The code and the ticket of a problem document (RFC 9457), for Envoy's access log. */
function factsOf(fields: readonly string[], body: string): Readonly<Record<string, string | undefined>> {
  // An answer to HEAD has no body.
  if (body === '' || !fields.includes('application/problem+json')) return {};
  const { code, ticket } = JSON.parse(body) as { readonly code?: string; readonly ticket?: string };
  return { code, ticket };
}
