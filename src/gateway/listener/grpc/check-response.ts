import type { Exchange } from '../../client/exchange.ts';
import type { Forward } from '../../decide/outcome.ts';
import { clearedFrom } from '../decision/cleared-headers.ts';
import { APPEND, type CheckResponse, type HeaderOption, IF_ABSENT, OVERWRITE, type TextStruct } from './messages.ts';

/** `google.rpc.Code`. Envoy reads only whether it is OK. */
const [OK, PERMISSION_DENIED] = [0, 7];

/** The request passes: what Envoy changes in it, and in the answer. */
export function passing({ head, shared, requestId }: Exchange, plan: Forward): CheckResponse {
  const written = plan.identityHeaders.filter((_, index) => index % 2 === 0);
  const identity = options(plan.identityHeaders, OVERWRITE);
  // Envoy removes headers after it sets them, so it must not remove one that the gateway writes.
  const kept = new Set([...written, shared.requestIdHeaderLower]);
  return {
    status: { code: OK },
    okResponse: {
      headers: [
        ...identity,
        ...options(plan.target === head.target ? [] : [':path', plan.target], OVERWRITE),
        ...options([shared.requestIdHeaderLower, requestId], OVERWRITE),
      ],
      headersToRemove: clearedFrom(head, plan).filter((name) => !kept.has(name)),
      responseHeadersToAdd: answerFields(plan, crossOriginOf(plan, shared.crossOrigin?.answer(head)), [
        shared.requestIdHeaderLower,
        requestId,
      ]),
    },
    dynamicMetadata: metadata({
      code: 'forwarded',
      route: plan.route.id,
      sub: plan.identity?.subject,
      client: plan.identity?.clientId,
    }),
  };
}

/** Shadow mode changes nothing, and some routes leave CORS to the upstream. */
function crossOriginOf({ route, asCame }: Forward, lines: readonly string[] = []): readonly string[] {
  return route.corsUpstream || asCame ? [] : lines;
}

function answerFields(
  plan: Forward,
  crossOrigin: readonly string[],
  requestId: readonly string[],
): readonly HeaderOption[] {
  const vary = crossOrigin.slice(0, 2);
  return [
    ...options(plan.answerFields, OVERWRITE),
    ...options(vary, APPEND),
    ...options(crossOrigin.slice(2), OVERWRITE),
    // RFC 6750 §2.3: the answer to a token in the query is private.
    ...options(plan.privateResponse ? ['cache-control', 'private'] : [], APPEND),
    ...options(requestId, IF_ABSENT),
  ];
}

/** The gateway's own answer. */
export function denying(
  status: number,
  fields: readonly string[],
  body: string,
  facts: Readonly<Record<string, string | undefined>>,
): CheckResponse {
  // Envoy computes the length, and knows best whether a HEAD has content.
  const kept = fields.filter((_, index) => fields[index - (index % 2)] !== 'content-length');
  return {
    status: { code: PERMISSION_DENIED },
    deniedResponse: { status: { code: status }, headers: options(kept, APPEND), body },
    dynamicMetadata: metadata(facts),
  };
}

function options(lines: readonly string[], appendAction: HeaderOption['appendAction']): readonly HeaderOption[] {
  return lines.flatMap((key, index) =>
    index % 2 === 0 ? [{ header: { key, value: asText(lines[index + 1] ?? '') }, appendAction }] : [],
  );
}

/** A header value has one character for each byte. The message has the same bytes as UTF-8. */
function asText(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

function metadata(facts: Readonly<Record<string, string | undefined>>): TextStruct {
  const known = Object.entries(facts).flatMap(([name, value]) =>
    // Envoy cannot read a message with half of a surrogate pair, and a claim may contain one.
    value === undefined ? [] : [[name, { stringValue: value.toWellFormed() }] as const],
  );
  return { fields: Object.fromEntries(known) };
}
