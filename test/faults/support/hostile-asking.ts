import type { RawResponse } from '../../support/raw-response.ts';
import { requestText } from '../../support/request-text.ts';
import type { HostileAnswer, Relayed } from './hostile-answers.ts';

const handshake = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
] as const;

const LONG = ['Content-Length', '1000'] as const;

/** The request for an answer of the table; undefined: a GET that gets a good answer. */
export function askingFor(answer: Pick<HostileAnswer, 'request'> | undefined, target: string, tag: string): Buffer {
  const mark = ['X-Tag', tag] as const;
  switch (answer?.request) {
    case 'HEAD':
      return requestText({ method: 'HEAD', target, headers: [mark] });
    case 'POST':
      return requestText({ method: 'POST', target, headers: [mark], body: 'whole' });
    case 'half POST':
      return Buffer.concat([requestText({ method: 'POST', target, headers: [mark, LONG] }), Buffer.from('half')]);
    case 'handshake':
      return requestText({ target, headers: [mark, ...handshake] });
    default:
      return requestText({ target, headers: [mark] });
  }
}

export function methodOf(answer: Pick<HostileAnswer, 'request'> | undefined): string {
  if (answer?.request === undefined || answer.request === 'handshake') return 'GET';
  return answer.request === 'HEAD' ? 'HEAD' : 'POST';
}

const ours = { invalid: [502, 'upstream_invalid'], silent: [504, 'upstream_timeout'] } as const;

/** How the client's answer differs from the table; undefined: it does not. */
export function wrongWith(
  { outcome }: Pick<HostileAnswer, 'outcome'>,
  tag: string,
  response: RawResponse | undefined,
): string | undefined {
  if (outcome === 'cut') return isCut(response) ? undefined : `a whole answer: ${told(response)}`;
  if (isCut(response)) return `cut: ${told(response)}`;
  if (typeof outcome === 'object') return wrongRelayed(outcome, tag, response);
  const [status, code] = ours[outcome];
  const isOurs = response.status === status && response.header('content-type') === 'application/problem+json';
  return isOurs && codeOf(response) === code ? undefined : `not ${status} ${code}: ${told(response)}`;
}

function wrongRelayed(relayed: Relayed, tag: string, response: RawResponse): string | undefined {
  const isSame = response.status === relayed.status && response.body.toString('latin1') === relayed.body(tag);
  return isSame && relayed.holds?.(response) !== false ? undefined : `not as it was sent: ${told(response)}`;
}

/** The client can see that the answer is incomplete. */
export function isCut(response: RawResponse | undefined): response is undefined {
  return response === undefined || !response.complete || response.endsWithConnection;
}

function codeOf(response: RawResponse): unknown {
  return JSON.parse(response.body.toString()).code;
}

function told(response: RawResponse | undefined): string {
  if (response === undefined) return 'nothing';
  const head = response.headers.map(([name, value]) => `${name}: ${value}`).join('; ');
  return `${response.status} [${head.slice(0, 600)}] ${JSON.stringify(response.body.toString('latin1').slice(0, 200))}`;
}
