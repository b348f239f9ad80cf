import { Exchange, type Shared } from '../../client/exchange.ts';
import type { Forward, Outcome, Refuse } from '../../decide/outcome.ts';
import { type Origin, readHead } from '../../message/request-head.ts';
import { UNKNOWN, undescribed, untrusted } from '../decision/asker.ts';
import type { Unclear } from '../decision/decision-request.ts';
import { withSeparatedCredentials } from '../decision/separated-lines.ts';
import { denying } from './check-response.ts';
import { type CallConnection, CheckedRequest, CheckedResponse } from './checked-message.ts';
import { type DescribedBody, type DescribedRequest, describedRequest } from './described-request.ts';
import type { CheckRequest, CheckResponse } from './messages.ts';

export interface CallOpening {
  readonly call: CheckRequest;
  readonly connection: CallConnection;
  readonly answer: (told: CheckResponse) => void;
  readonly shared: Shared;
  readonly id: () => string;
}

/** One call, from its head to its answer. */
export interface AskedCall {
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

/** Reads the call. Its answer goes to `answer`, in every case. */
export function openCall({ call, connection, answer, shared, id }: CallOpening): AskedCall {
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
    answer(denying(status, fields, body, factsOf(exchange.settled, problemOf(fields, body)))),
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
  if (!isProxied) return untrusted(address);
  return described.kind === 'unclear' ? undescribed(described) : undefined;
}

/** For Envoy's access log. */
function factsOf(settled: Exclude<Outcome, Forward> | undefined, problem: Problem): Facts {
  if (settled === undefined || settled.kind === 'reply') return { ...problem };
  const identity = settled.kind === 'refuse' ? settled.identity : undefined;
  const { code, route } = settled;
  return { ...problem, code, route: route?.id, sub: identity?.subject, client: identity?.clientId };
}

type Facts = Readonly<Record<string, string | undefined>>;

interface Problem {
  readonly code?: string | undefined;
  readonly ticket?: string | undefined;
}

/** The code and the ticket of a problem document (RFC 9457). An answer to HEAD has no body. */
function problemOf(fields: readonly string[], body: string): Problem {
  if (body === '' || !fields.includes('application/problem+json')) return {};
  const { code, ticket } = JSON.parse(body) as Problem;
  return { code, ticket };
}
