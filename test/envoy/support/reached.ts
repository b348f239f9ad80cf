import { sendAll } from '../../support/many.ts';
import type { RawResponse } from '../../support/raw-response.ts';
import { requestText } from '../../support/request-text.ts';
import type { Seen } from '../../support/witness.ts';
import type { CaseBody, CompileCase, Lines } from './case.ts';

/** What reached an upstream, by the number of the case, and each answer. */
export interface Reached {
  readonly seen: ReadonlyMap<string, Seen>;
  /** How often a case reached an upstream. */
  readonly times: ReadonlyMap<string, number>;
  /** Undefined: the connection closed without an answer. */
  readonly answers: ReadonlyMap<string, RawResponse | undefined>;
}

/** Headers of an ordinary client: a proxy must not change them. */
const ORDINARY: Lines = [
  ['User-Agent', 'cases/1.0 (a; b)'],
  ['Accept', 'text/html'],
  ['Accept', '*/*;q=0.1'],
  ['Accept-Encoding', 'br'],
  ['Cookie', 'a=b; c="d"'],
  ['If-None-Match', 'W/"x", "y"'],
  ['X-Empty', ''],
  ['X-Latin', 'caf\xe9'],
  ['X-Spaced', 'a  b\tc'],
];

/** The bytes of a case, with its number in a header. */
function bytesOf({ body, headers, ...request }: CompileCase, index: number): Buffer {
  const lines: Lines = [...ORDINARY, ...headers, ['X-Case', String(index)]];
  if (body?.chunks === undefined) return requestText({ ...request, headers: lines, ...(body && { body: body.bytes }) });
  const head = requestText({ ...request, headers: [...lines, ['Transfer-Encoding', 'chunked']] });
  return Buffer.concat([head, ...chunked(body)]);
}

function chunked({ bytes, chunks = [] }: CaseBody): readonly Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (const length of [...chunks, bytes.length]) {
    const part = bytes.subarray(at, at + length);
    at += part.length;
    if (part.length > 0) parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return [...parts, Buffer.from('0\r\n\r\n')];
}

/** `seen`: what the upstreams record. It is empty again afterwards. */
export async function reached(seen: Seen[], port: number, cases: readonly CompileCase[]): Promise<Reached> {
  const answers = new Map<string, RawResponse | undefined>();
  await sendAll({
    port,
    items: cases.entries(),
    bytes: ([index, each]) => bytesOf(each, index),
    method: ([, { method }]) => method,
    onAnswer: ([index], response) => answers.set(String(index), response),
  });
  const [found, times] = [new Map<string, Seen>(), new Map<string, number>()];
  for (const each of seen.splice(0)) {
    const index = each.header('x-case') ?? '';
    found.set(index, each);
    times.set(index, (times.get(index) ?? 0) + 1);
  }
  return { seen: found, times, answers };
}
