import t from 'tap';
import { parsePathPattern } from '../../../src/config/words/path-pattern.ts';
import { judgeTarget, type Target } from '../../../src/gateway/message/target.ts';
import { type RoutePattern, RouteTable } from '../../../src/gateway/routing/routes.ts';
import { behind, gateway } from '../../support/gateway.ts';
import { sendAll } from '../../support/many.ts';
import fc, { tries } from '../../support/properties.ts';
import { requestText } from '../../support/request-text.ts';
import { witness } from '../../support/witness.ts';
import { headOf } from '../head.ts';
import { place, read } from '../routing/repeated-reading.ts';

/** Thousands of random requests: 38 s in .ci/run on a busy machine. */
t.setTimeout(240_000);

const { numRuns } = tries(10_000, 250_000);

const words = ['admin', 'public', 'dmin', 'a', '~', 'A', '+', '@', ':', '*', '=', 'u'];
const structure = ['/', '/', '/', '/', '//', '.', '..', '\\', ';', '?', '#', '%', '%25', ' ', '\xe9', '\t'];
const encoded = [0x00, 0x09, 0x0a, 0x20, 0x23, 0x25, 0x2b, 0x2e, 0x2f, 0x3b, 0x3f, 0x40, 0x5c, 0x61, 0x7e, 0x80, 0xff];

/** The same character in two, three or four octets (RFC 3629 §3 forbids all three). */
const overlong = (code: number) => [
  [0xc0 | (code >> 6), 0x80 | (code & 0x3f)],
  [0xe0, 0x80 | (code >> 6), 0x80 | (code & 0x3f)],
  [0xf0, 0x80, 0x80 | (code >> 6), 0x80 | (code & 0x3f)],
];

const hex = (octet: number) => octet.toString(16).padStart(2, '0');
const percent = (octets: readonly number[]) => octets.map((octet) => `%${hex(octet)}`).join('');
const twice = (text: string) => text.replaceAll('%', '%25');
const inHalf = (octet: number) => `%${percent([...Buffer.from(hex(octet))])}`;

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  { weight: 6, arbitrary: fc.constantFrom(...structure) },
  { weight: 3, arbitrary: fc.constantFrom(...encoded).map((octet) => percent([octet])) },
  { weight: 1, arbitrary: fc.constantFrom(...encoded).map((octet) => percent([octet]).toUpperCase()) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(0x2e, 0x2f, 0x5c, 0x61, 0x3b)
      .chain((each) => fc.constantFrom(...overlong(each).map(percent))),
  },
  { weight: 1, arbitrary: fc.constantFrom(...encoded).map((octet) => twice(percent([octet]))) },
  { weight: 1, arbitrary: fc.constantFrom(...encoded).map(inHalf) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%u002f', '%u002e', '%c3%a9', '%ef%bc%8f', '%e2%88%95', '%2', '%zz', '%c0.', '%c0/'),
  },
);

const target = fc.array(piece, { maxLength: 14, size: 'max' }).map((pieces) => `/${pieces.join('')}`);

const patterns = ['/admin', '/admin/{*}', '/public/{*}', '/public/a', '/public/{}/a', '/{}', '/{}/{}', '/{*}'];

const table = new RouteTable(
  patterns.map((id): RoutePattern & { readonly id: string } => {
    let count = 0;
    const parsed = parsePathPattern(id.replace(/\{/g, () => `{n${++count}`));
    if (parsed.kind === 'fault') throw new Error(parsed.message);
    const { segments } = parsed;
    return { id, segments, host: undefined, methods: undefined, conditions: [], caseSensitive: true, access: 'scope' };
  }),
);

function routeOf({ key, query }: Target): string | undefined {
  const match = table.match({ host: 'h', key, method: 'GET', query, head: headOf() });
  return match.kind === 'route' ? match.route.id : undefined;
}

const MOST_DECODINGS = 6;

t.test('an accepted target is matched as an upstream matches it that decodes it any number of times', async (t) => {
  const passed = { plain: 0, marked: 0 };
  const property = fc.property(target, (received) => {
    const judged = judgeTarget('GET', received);
    if (judged.kind === 'refused') return;
    const isMarked = judged.encodedSlash || judged.parameter;
    passed[isMarked ? 'marked' : 'plain']++;
    const ours = routeOf(judged);
    for (let decodings = 0; decodings <= MOST_DECODINGS; decodings++) {
      const reading = read(judged.path, decodings);
      if (reading.dots) throw new Error(`a dot segment after ${decodings} decodings of ${judged.path}`);
      // With these characters a route refuses it, unless its operator says that the upstream reads them as we do.
      if (isMarked) continue;
      const theirs = place(reading.segments, patterns);
      if (theirs !== ours)
        throw new Error(`${ours} here, and ${theirs} after ${decodings} decodings of ${judged.path}`);
    }
  });
  fc.assert(property, { numRuns });
  t.ok(passed.plain > numRuns / 50 && passed.marked > numRuns / 500, JSON.stringify(passed));
});

/** RFC 3986 §2.3, §6.2.2.2: an encoded unreserved character may be written as itself, and nothing else changes. */
function asForwarded(received: string): string {
  const mark = received.indexOf('?');
  const [path, query] = mark === -1 ? [received, ''] : [received.slice(0, mark), received.slice(mark)];
  let written = '';
  for (let at = 0; at < path.length; at++) {
    const character = path[at] === '%' ? String.fromCharCode(Number.parseInt(path.slice(at + 1, at + 3), 16)) : '';
    const isUnreserved = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~'.includes(character);
    written += character !== '' && isUnreserved ? character : path[at];
    if (character !== '' && isUnreserved) at += 2;
  }
  return written + query;
}

t.test('an accepted target is forwarded byte for byte, except for encoded unreserved characters', async () => {
  const property = fc.property(target, (received) => {
    const judged = judgeTarget('GET', received);
    return judged.kind === 'refused' || judged.path + judged.query === asForwarded(received);
  });
  fc.assert(property, { numRuns });
});

t.test('an upstream gets exactly what was judged', async (t) => {
  const upstream = await witness(t);
  const route = {
    id: 'all',
    match: { path: '/{rest*}' },
    access: 'public',
    encoded_slashes: 'keep',
    path_parameters: 'keep',
  };
  const { port } = await gateway(t, behind(upstream.url, { routes: [route] }));
  // Text that cannot be part of a request line is left to the parser.
  const items = fc
    .sample(target, { numRuns: Math.min(numRuns / 10, 50_000) })
    .filter((each) => !/[\s\x7f-\xff]/.test(each));
  const expected: string[] = [];
  const statuses = new Map<string, number | undefined>();
  await sendAll({
    port,
    items,
    connections: 1,
    bytes: (item) => requestText({ target: item }),
    onAnswer: (item, response) => {
      statuses.set(item, response?.status);
      if (judgeTarget('GET', item).kind === 'target') expected.push(asForwarded(item));
    },
  });
  t.strictSame(
    upstream.seen.map((each) => each.target),
    expected,
  );
  t.ok(expected.length > items.length / 20, `${expected.length} of ${items.length}`);
  const refused = items.filter((item) => judgeTarget('GET', item).kind === 'refused');
  t.strictSame(refused.filter((item) => statuses.get(item) !== 400).slice(0, 5), []);
});
