import t from 'tap';
import { behind } from '../support/gateway.ts';
import { sendAll } from '../support/many.ts';
import { startProcess, throws } from '../support/process.ts';
import { random } from '../support/random.ts';
import type { RawResponse } from '../support/raw-response.ts';
import { answersOver, type HostileAnswer, hostileAnswers } from './support/hostile-answers.ts';
import { askingFor, methodOf, wrongWith } from './support/hostile-asking.ts';
import type { Piece } from './support/played-answer.ts';
import { sized } from './support/size.ts';
import { type Tagged, tagged, taggedUpstream } from './support/tagged-upstream.ts';
import { upstreamEngines } from './support/upstream-engines.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));

const COUNT = sized(2_000, 100_000, 1_000_000);
const CLIENTS = 48;
/** Fewer than clients, so that a request waits for a connection when excess bytes arrive on it. */
const CONNECTIONS = 12;
const RETRIES = 1;

interface Item {
  readonly tag: string;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly hostile: number | undefined;
}

const indexes = [...hostileAnswers.keys()].filter((index) => hostileAnswers[index]?.late === undefined);
const heavy = indexes.filter((index) => hostileAnswers[index]?.heavy === true);
const light = indexes.filter((index) => hostileAnswers[index]?.heavy === undefined);

/** One of six is hostile, and one of a hundred of these is heavy. */
function* items(): Generator<Item> {
  const dice = random(140);
  for (let index = 0; index < COUNT; index++) {
    const tag = `tag-${String(index).padStart(7, '0')}`;
    const hostile = dice.chance(1 / 6) ? dice.pick(dice.chance(0.01) ? heavy : light) : undefined;
    yield { tag, hostile, method: dice.pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST'] as const) };
  }
}

function rowsOver(engine: string): (item: Item) => HostileAnswer | undefined {
  const answers = answersOver(engine);
  return ({ hostile }) => (hostile === undefined ? undefined : answers[hostile]);
}

/** A good answer, recognized by the method of its own request. */
function good({ method }: Item): Pick<HostileAnswer, 'outcome' | 'request'> {
  const outcome = { status: 200, body: (tag: string) => (method === 'HEAD' ? '' : `for ${tag}`) };
  return method === 'GET' ? { outcome } : { outcome, request: method };
}

function answering({ target, tag, method }: Tagged): Iterable<Piece> {
  const hostile = /\/hostile\/(\d+)$/.exec(target)?.[1];
  if (hostile !== undefined) return (hostileAnswers[Number(hostile)] as HostileAnswer).says(tag);
  return [method === 'HEAD' ? `HTTP/1.1 200 OK\r\nx-answer: ${tag}\r\n\r\n` : tagged(tag)];
}

/** The tags of other requests, and of excess answers. All seven digits, because a random ticket may contain `tag-9`. */
function strangers({ tag }: Item, response: RawResponse | undefined): readonly string[] {
  if (response === undefined) return [];
  const text = `${response.headers.flat().join('\n')}\n${response.trailers.flat().join('\n')}\n${response.body.toString('latin1')}`;
  return [...text.matchAll(/(?:stray-)?tag-\d{7}/g)].map(([each]) => each).filter((each) => each !== tag);
}

function isOurs502(response: RawResponse | undefined): boolean {
  return response?.status === 502 && response.header('content-type') === 'application/problem+json';
}

/** Requests that were lost at the first attempt. One retry may meet a second connection that ends (RFC 9110 §9.2.2). */
function givenUpEarly(lost: ReadonlyMap<string, string>, log: string): readonly string[] {
  const attempts = new Map<string, number>();
  for (const line of log.split('\n')) {
    const id = /"request_id":"([^"]+)"/.exec(line)?.[1];
    if (id !== undefined && lost.has(id)) attempts.set(id, Number(/"upstream_attempts":(\d+)/.exec(line)?.[1]));
  }
  return [...lost].filter(([id]) => attempts.get(id) !== 1 + RETRIES).map(([, what]) => what);
}

for (const { name, block } of upstreamEngines) {
  t.test(
    `${name}: among hostile answers no answer reaches another request, and every good one is right, or was sent twice`,
    async (t) => {
      const rowOf = rowsOver(name);
      const { url } = await taggedUpstream(t, answering);
      const timeout = { response: '4s', idle: '4s' };
      const upstreams = { api: { url, timeout, max_connections: CONNECTIONS, retries: RETRIES, ...block } };
      const gateway = await startProcess({ config: behind(url, { upstreams }) });
      t.teardown(() => gateway.stop());
      const crossed: string[] = [];
      const wrong: string[] = [];
      /** Good, idempotent and lost, by the id of the request. The log says how often each was sent. */
      const lostTwice = new Map<string, string>();
      const counts = { good: 0, hostile: 0, lost: 0 };
      const used = new Set<number>();
      const onAnswer = (item: Item, response: RawResponse | undefined) => {
        const row = rowOf(item);
        if (item.hostile !== undefined) used.add(item.hostile);
        counts[row === undefined ? 'good' : 'hostile']++;
        const others = strangers(item, response);
        if (others.length > 0) crossed.push(`${item.tag} (${row?.name ?? 'good'}) got ${others.join(' ')}`);
        const fault = wrongWith(row ?? good(item), item.tag, response);
        if (fault === undefined) return;
        const what = `${item.tag} (${row?.name ?? `good ${item.method}`}): ${fault}`;
        if (!isOurs502(response)) {
          wrong.push(what);
          return;
        }
        // A kept connection may end at the moment of use. Only idempotent requests are sent again.
        counts.lost++;
        if (row === undefined && item.method !== 'POST') lostTwice.set(response?.header('x-request-id') ?? '', what);
      };
      const start = performance.now();
      await sendAll({
        port: gateway.port,
        items: items(),
        connections: CLIENTS,
        bytes: (item) => {
          const row = rowOf(item);
          return askingFor(
            row ?? good(item),
            row === undefined ? '/public/good' : `/public/hostile/${item.hostile}`,
            item.tag,
          );
        },
        method: (item) => methodOf(rowOf(item) ?? good(item)),
        isLast: (item) => ['handshake', 'half POST'].includes(rowOf(item)?.request ?? ''),
        onAnswer,
      });
      const seconds = Math.round((performance.now() - start) / 1000);
      t.comment(`${seconds} s: ${JSON.stringify(counts)}, ${used.size} of ${indexes.length} rows`);
      t.same(crossed.slice(0, 5), [], `${crossed.length} crossed`);
      t.same(wrong.slice(0, 5), [], `${wrong.length} wrong`);
      t.same(
        [...givenUpEarly(lostTwice, gateway.output())],
        [],
        'each that was lost was sent again, as `retries` says',
      );
      t.equal(counts.good + counts.hostile, COUNT, 'each was answered or cut');
      t.ok(used.size >= Math.min(light.length, COUNT / 40), 'the hostile answers were all in it');
      t.ok(gateway.running);
      t.same(throws(gateway.output()), []);
    },
  );
}
