import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import { codes } from '../../src/gateway/message/codes.ts';
import { behind, routes } from '../support/gateway.ts';
import { isFullSize, isLong } from '../support/long.ts';
import { sendAll } from '../support/many.ts';
import { startProcess, throws } from '../support/process.ts';
import { type Random, random } from '../support/random.ts';
import {
  bodyPart,
  credentialPart,
  formPart,
  headerPart,
  type Part,
  type Tokens,
  targetPart,
  type UpstreamFault,
  upstreamFaults,
} from '../support/random-shapes.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { JWT_BEGINS, jwt } from '../support/tokens.ts';
import { until } from '../support/until.ts';
import { type Seen, type Witness, witness } from '../support/witness.ts';

/** Starts programs: 72 s in .ci/run on a busy machine. */
t.setTimeout(isFullSize ? 1_800_000 : 600_000);

interface Case {
  readonly id: string;
  readonly method: string;
  readonly bytes: Buffer;
  readonly verdict: Part['verdict'];
  /** For a failure: its parts. */
  readonly made: string;
  readonly bodyLength: number;
  readonly fault: UpstreamFault | undefined;
  /** The framing is broken, so the next answer on the connection is undefined. */
  readonly broken: boolean;
}

const methods = ['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND'];

function makeCase(dice: Random, tokens: Tokens, index: number): Case {
  const id = `case-${index}`;
  const method = dice.pick(methods);
  const [target, credential, headers] = [targetPart(dice), credentialPart(dice, tokens), headerPart(dice)];
  const isPublic = target.needs === 'nothing';
  const mayHaveForm = method !== 'GET' && method !== 'HEAD';
  const isForm = credential.form !== undefined && mayHaveForm;
  const body = isForm ? formPart(credential.form as string, isPublic) : bodyPart(dice);
  // A HEAD has no answer body that could be cut.
  const fault = method !== 'HEAD' && dice.chance(0.05) ? dice.pick(upstreamFaults) : undefined;
  const fields = [...credential.headers, ...body.headers, ...(fault === undefined ? [] : [['X-Fault', fault]])].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  // A second type would hide the form.
  const lines = isForm ? headers.lines.replace(/Content-Type.*\r\n/g, '') : headers.lines;
  const join = target.target.includes('?') ? '&' : '?';
  const full = credential.query === '' ? target.target : target.target + join + credential.query;
  const text = `${method} ${full} HTTP/1.1\r\nHost: api.example.com\r\nX-Case: ${id}\r\n${lines}${fields.join('')}\r\n${body.body}`;
  const parts: Part[] = isPublic ? [target, headers, body] : [target, headers, body, credential];
  const holds = credential.form === undefined || isForm ? credential.holds : 'nothing';
  const made = `${method} ${target.name} ${target.target} | ${credential.name} | ${headers.name} ${JSON.stringify(lines)} | ${body.name} | ${fault}`;
  return {
    id,
    method,
    bytes: Buffer.from(text, 'latin1'),
    verdict: verdictOf(parts, isPublic || holds === target.needs),
    made,
    bodyLength: body.length,
    fault,
    broken: body.verdict !== 'forward',
  };
}

function verdictOf(parts: readonly Part[], open: boolean): Part['verdict'] {
  if (!open || parts.some(({ verdict }) => verdict === 'refuse')) return 'refuse';
  return parts.some(({ verdict }) => verdict === 'cut') ? 'cut' : 'forward';
}

const known = new Map(Object.entries(codes).map(([code, { status }]) => [code, status]));

/** What is wrong with an answer; undefined: nothing. The upstream signs its own answers. */
function faultOf({ method, made, verdict, id, fault }: Case, response: RawResponse | undefined): string | undefined {
  const told = `${id} (${made}) should ${verdict}: ${response?.status}`;
  // The bytes after a bad chunk may be answered on a connection that has closed by then.
  if (verdict === 'forward' && fault !== undefined) return isBroken(response) ? undefined : `${told} and look broken`;
  if (response === undefined) return verdict === 'forward' ? `${told} no answer` : undefined;
  const isUpstream = response.header('x-witness') === id;
  if (verdict === 'forward')
    return isUpstream && response.status === 200 && response.complete ? undefined : `${told} ${response.body}`;
  if (isUpstream) return `${told} and was answered by the upstream`;
  if (method === 'HEAD') return undefined;
  if (response.header('content-type') !== 'application/problem+json')
    return `${told} is no problem JSON: ${response.body}`;
  const { code, status } = JSON.parse(response.body.toString());
  return known.get(code) === response.status && status === response.status ? undefined : `${told} has the code ${code}`;
}

function isBroken(response: RawResponse | undefined): boolean {
  return response === undefined || response.status === 502 || !response.complete;
}

const misdeeds: Readonly<Record<UpstreamFault, (socket: Socket) => void>> = {
  reset: (socket) => socket.resetAndDestroy(),
  garbage: (socket) => socket.end('garbage\r\n\r\n'),
  cut: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
};

function answerWithId(upstream: Witness): void {
  upstream.behave((request, response) => {
    const id = request.headers['x-case'] as string;
    const fault = request.headers['x-fault'] as UpstreamFault | undefined;
    if (fault !== undefined) return misdeeds[fault](request.socket);
    response.writeHead(200, { 'x-witness': id, 'content-length': '2' }).end('ok');
  });
}

function ids(seen: readonly Seen[]): string[] {
  return seen.map(({ header }) => header('x-case') ?? 'none').sort();
}

/**
 * The next requests of a connection must not be read from the body of a refused one: the connection closes, or each is
 * whole.
 */
async function run(t: Test, cases: readonly Case[], port: number): Promise<void> {
  const faults: string[] = [];
  const onAnswer = (item: Case, response: RawResponse | undefined) => {
    const fault = faultOf(item, response);
    if (fault !== undefined) faults.push(fault);
  };
  await sendAll({
    port,
    items: cases,
    bytes: ({ bytes }) => bytes,
    method: ({ method }) => method,
    isLast: ({ broken }) => broken,
    onAnswer,
    connections: 16,
  });
  t.same(faults.slice(0, 10), [], `${faults.length} of ${cases.length} answers are wrong`);
}

t.test(
  'exactly the random requests that should reach the upstream do, and every other has a code of the table',
  async (t) => {
    const dice = random(20261);
    const upstream = await witness(t);
    answerWithId(upstream);
    const running = await startProcess({
      config: behind(upstream.url, { routes, bearer_methods_supported: ['header', 'body', 'query'] }),
    });
    t.teardown(() => running.stop());
    const tokens = {
      read: await jwt({ scope: 'orders.read' }, { alg: 'HS256' }),
      admin: await jwt({ scope: 'admin' }, { alg: 'HS256' }),
    };
    const cases = Array.from({ length: isFullSize ? 100_000 : 3_000 }, (_, index) => makeCase(dice, tokens, index));
    await run(t, cases, running.port);
    await until(() => upstream.seen.every(({ state }) => state !== 'open'));
    const completed = upstream.seen.filter(({ state }) => state === 'completed');
    const accepted = cases.filter(({ verdict }) => verdict === 'forward');
    t.same(
      // A safe request that was cut before any answer is sent once more.
      [...new Set(ids(completed))],
      accepted.map(({ id }) => id).sort(),
      'the log of the upstream is exactly the accepted requests',
    );
    const lengths = new Map(accepted.map(({ id, bodyLength }) => [id, bodyLength]));
    const wrong = completed.filter((seen) => seen.bytes !== lengths.get(seen.header('x-case') ?? ''));
    t.same(ids(wrong), [], 'each with its own body');
    const spoofed = completed.filter(({ rawHeaders }) => /mallory|6\.6\.6\.6/.test(rawHeaders.join('\n')));
    t.same(ids(spoofed), [], 'no spoofed header among them');
    const told = completed.filter(
      ({ target, rawHeaders, body }) => !isPublicPath(target) && JWT_BEGINS.test(target + rawHeaders.join('\n') + body),
    );
    t.same(ids(told), [], 'no credential of a protected route among them');
    t.ok(running.running, 'the process is the same');
    t.same(throws(running.output()), [], 'and threw nowhere');
  },
);

function isPublicPath(target: string): boolean {
  return target.startsWith('/public/');
}

const schemes = [
  'Bearer',
  'bearer',
  'BEARER',
  'Basic',
  'Digest',
  'DPoP',
  'Negotiate',
  'Bearer:',
  'Bearer,',
  '',
  'Bear',
  'Bearerr',
];
const alphabets = [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=',
  'abcdefghijklmnopqrstuvwxyz0123456789-_.',
  '.=',
  Array.from({ length: 255 - 31 }, (_, index) => String.fromCharCode(32 + index)).join(''),
  ' ,;="\\\t',
  Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte))
    .filter((each) => each !== '\n' && each !== '\r')
    .join(''),
];

/** Header objects as a forger would write them, mostly not even JSON. */
const headers = [
  '{"alg":"none"}',
  '{"alg":"HS256"}',
  '{"alg":"HS256","typ":"at+jwt"}',
  '{"alg":',
  '[]',
  'null',
  '"x"',
  '{"alg":{"alg":1}}',
  '{"__proto__":{"alg":"none"}}',
];

function authorization(dice: Random): string {
  const scheme = dice.pick(schemes);
  if (dice.chance(0.3)) return `${scheme} ${forged(dice)}`;
  const length = dice.below(dice.pick([5, 50, 500, 4000]));
  return `${scheme}${dice.pick([' ', '  ', '', '\t'])}${dice.text(dice.pick(alphabets), length)}`;
}

function forged(dice: Random): string {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const payload = `{"iss":"https://auth.example.com","aud":"https://api.example.com","scope":"orders.read","exp":${dice.below(2 ** 32)}}`;
  const signature = dice.text('ABCDEFabcdef0123456789-_', dice.pick([0, 1, 42, 43, 44, 86]));
  return [encode(dice.pick(headers)), encode(dice.chance(0.8) ? payload : dice.text('{}[]":,', 20)), signature]
    .slice(0, dice.pick([2, 3, 3, 3]))
    .join('.');
}

t.test('advisory 75: no random Authorization value opens a route, and none is answered with 5xx', async (t) => {
  const dice = random(75);
  const upstream = await witness(t);
  const running = await startProcess({ config: behind(upstream.url) });
  t.teardown(() => running.stop());
  const statuses = new Map<number, number>();
  const count = isLong ? 1_000_000 : isFullSize ? 100_000 : 10_000;
  function* values() {
    for (let i = 0; i < count; i++) yield authorization(dice);
  }
  await sendAll({
    port: running.port,
    items: values(),
    bytes: (value) => Buffer.from(`GET /orders/1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${value}\r\n\r\n`, 'latin1'),
    onAnswer: (_value, response) => {
      const status = response?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    },
    connections: 32,
  });
  t.same(
    [...statuses.keys()].filter((status) => status !== 400 && status !== 401),
    [],
    JSON.stringify([...statuses]),
  );
  t.equal(upstream.seen.length, 0);
  t.ok(running.running, 'the process is the same');
  t.same(throws(running.output()), []);
});

t.test('every code of the table is in docs/errors.md', async (t) => {
  const documented = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  for (const [code, { status }] of Object.entries(codes))
    t.match(documented, new RegExp(`\\| \`${code}\` \\| ${status} \\|`), code);
});
