import type { OwnAnswer } from '../../client/problem-response.ts';
import type { Via } from '../../message/request-head.ts';

/** The gateway's own answers, in a form that the asking proxy can relay. */
export interface Passed {
  refusal(answer: OwnAnswer): OwnAnswer;
  /** Any other answer. Undefined: the proxy cannot relay it. */
  reply(answer: OwnAnswer): OwnAnswer | undefined;
}

const asItIs = (answer: OwnAnswer) => answer;

export const passedOn: Readonly<Record<Via, Passed>> = {
  nginx: { refusal: throughNginx, reply: throughNginx },
  // For these proxies, 2xx means that the request passes. They relay every other answer unchanged.
  'forward-auth': { refusal: asItIs, reply: () => undefined },
  // For Envoy, only 200 lets a request pass, so it relays a preflight's 204 like any other answer.
  envoy: { refusal: asItIs, reply: (answer) => (answer.status === 200 ? undefined : answer) },
};

/**
 * nginx relays 401 and 403 and turns all other refusals into 500. It drops the body and keeps only the first challenge.
 * So headers carry everything, and nginx's configuration rebuilds the answer from them.
 */
function throughNginx({ status, headers, body }: OwnAnswer): OwnAnswer {
  const challenges = valuesOf(headers, 'www-authenticate').join(', ');
  const rest = headers.filter((_, index) => !OWN_LINES.has(headers[index - (index % 2)] ?? ''));
  const challenge = challenges === '' ? [] : ['x-gatehouse-challenge', challenges];
  return {
    status: status === 401 ? 401 : 403,
    headers: [
      ...['x-accel-expires', '0', 'cache-control', 'no-store', 'content-length', '0'],
      ...['x-gatehouse-status', String(status)],
      ...['x-gatehouse-type', valuesOf(headers, 'content-type')[0] ?? '', 'x-gatehouse-body', ascii(body.trim())],
      ...challenge,
      ...(status === 401 && challenges !== '' ? ['www-authenticate', challenges] : []),
      ...rest,
    ],
    body: '',
  };
}

/** These headers have a different form here, or describe a body that is elsewhere. */
const OWN_LINES: ReadonlySet<string> = new Set(['www-authenticate', 'cache-control', 'content-length', 'content-type']);

function valuesOf(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_, index) => index % 2 === 1 && headers[index - 1] === name);
}

/** Converts JSON so that it fits into a header line (RFC 8259 §7). */
function ascii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
