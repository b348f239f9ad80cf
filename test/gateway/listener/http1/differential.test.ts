import { setImmediate as turn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { skip } from '../../../support/corpora.ts';
import { isFullSize, isLong } from '../../../support/long.ts';
import { type Random, random } from '../../../support/random.ts';
import { nodeReader } from './node-reading.ts';
import { type OurReading, ourReading, type Pace } from './our-reading.ts';
import { corpusCases, cutAtRandom, plainRequest, randomCase } from './request-cases.ts';

// Our listener reads a request as Node's own parser reads it, and hands the exact rest to Node: over connections in
// memory.

/** 200,000 cases take minutes, and the long form an hour. */
t.setTimeout(isLong ? 4 * 3_600_000 : 1_200_000);
// This test creates errors by the hundred thousand, and their stacks would take most of the time.
const { stackTraceLimit } = Error;
Error.stackTraceLimit = 0;
t.teardown(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

/** Cases at a time: each waits for a few turns of the event loop. */
const LANES = 256;
const FIRST_SEED = Number(process.env.GATEHOUSE_SEED ?? 0);
const CASES = isLong ? 5_000_000 : isFullSize ? 200_000 : 5_000;

interface Tally {
  cases: number;
  served: number;
  handedOver: number;
  unfinished: number;
  readonly wrong: string[];
}

type CaseAt = (index: number, dice: Random) => string | undefined;

async function comparing(caseAt: CaseAt): Promise<Tally> {
  const read = nodeReader();
  const tally: Tally = { cases: 0, served: 0, handedOver: 0, unfinished: 0, wrong: [] };
  let next = 0;
  const lane = async () => {
    for (let index = next++; tally.wrong.length < 5; index = next++) {
      const dice = random(FIRST_SEED + index);
      const text = caseAt(index, dice);
      if (text === undefined) return;
      const bytes = Buffer.from(text, 'latin1');
      const ours = await ourReading(cutAtRandom(bytes, dice), dice.pick<Pace>(['at once', 'late']));
      const fault = faultOf(bytes, ours, await read(bytes));
      if (fault !== undefined) tally.wrong.push(`seed ${FIRST_SEED + index}: ${fault}\n${JSON.stringify(text)}`);
      count(tally, ours);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return tally;
}

function count(tally: Tally, { requests, unread, ended }: OurReading): void {
  tally.cases++;
  tally.served += requests.length;
  if (unread !== undefined) tally.handedOver++;
  else if (!ended) tally.unfinished++;
}

/** Undefined: Node reads the requests that we served in the same way, and the unserved bytes are complete. */
function faultOf(bytes: Buffer, ours: OurReading, node: Awaited<ReturnType<ReturnType<typeof nodeReader>>>) {
  const { requests, unread, ended } = ours;
  const theirs = node.requests.slice(0, requests.length);
  if (JSON.stringify(theirs) !== JSON.stringify(requests))
    return `read ${JSON.stringify(requests)}, and Node ${JSON.stringify(theirs)}`;
  if (unread !== undefined) {
    const isRest = bytes.subarray(bytes.length - unread.length).equals(unread);
    return isRest ? undefined : `handed over ${JSON.stringify(unread.toString('latin1'))}`;
  }
  // It waits for the rest of a head, as Node does.
  const isAhead = node.isInvalid || node.requests.length > requests.length;
  return !ended && isAhead ? 'waits, and Node does not' : undefined;
}

function assertEqual(t: Test, { wrong, ...counts }: Tally): void {
  t.comment(JSON.stringify(counts));
  t.same(wrong, []);
}

t.test('every request of the corpora is read as Node reads it, or handed over to Node', { skip }, async (t) => {
  const cases = corpusCases();
  const tally = await comparing((index) => cases[index]);
  t.ok(tally.cases > 400, `${tally.cases} cases`);
  t.ok(tally.handedOver > tally.cases / 2, 'most of them are handed over');
  assertEqual(t, tally);
});

t.test('a corpus after a request that is served is handed over from its first byte', { skip }, async (t) => {
  const cases = corpusCases();
  const before = 'GET /before HTTP/1.1\r\nHost: a.example\r\n\r\n';
  const tally = await comparing((index) => (index < cases.length ? `${before}${cases[index]}` : undefined));
  t.ok(tally.served >= tally.cases, 'the first of each is served');
  assertEqual(t, tally);
});

t.test('changed requests, one after the other and in pieces, are read as Node reads them', async (t) => {
  const seeds = skip === false ? corpusCases() : [];
  const tally = await comparing((index, dice) => (index < CASES ? randomCase(dice, seeds) : undefined));
  t.equal(tally.cases, CASES);
  t.ok(tally.served > CASES / 4, `${tally.served} requests are served`);
  assertEqual(t, tally);
});

/** The same, however the bytes were cut. */
async function shown(reading: OurReading): Promise<string> {
  const { requests, unread, ended } = reading;
  await turn();
  return JSON.stringify({ requests, unread: unread?.toString('latin1'), ended });
}

/** Node reads content that arrives later than its head, and everything after it. Until then it is the same. */
async function isBeginningOf(whole: OurReading, reading: OurReading, bytes: Buffer): Promise<boolean> {
  await turn();
  const { requests, unread } = reading;
  const isSame = JSON.stringify(requests) === JSON.stringify(whole.requests.slice(0, requests.length));
  if (unread === undefined || !isSame) return false;
  const rest = whole.requests[requests.length];
  const isContent = rest?.rawHeaders.some((name) => /^content-length$/i.test(name));
  return isContent === true && bytes.subarray(bytes.length - unread.length).equals(unread);
}

t.test('a request is the same however its bytes are cut', async (t) => {
  const dice = random(FIRST_SEED);
  const plain = Array.from({ length: 8 }, () => plainRequest(dice) + plainRequest(dice));
  const odd = ['GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'];
  const texts = [...plain, ...odd, ...(skip === false ? corpusCases().filter(({ length }) => length < 160) : [])];
  const wrong: string[] = [];
  let splits = 0;
  for (const text of texts) {
    const bytes = Buffer.from(text, 'latin1');
    const reading = await ourReading([bytes]);
    const whole = await shown(reading);
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const ways = Array.from(bytes, (_, at) => [bytes.subarray(0, at), bytes.subarray(at)]).concat([single]);
    for (const way of ways) {
      const pieces = way.filter(({ length }) => length > 0);
      for (const pace of ['at once', 'late'] as const) {
        const cut = await ourReading(pieces, pace);
        if ((await shown(cut)) !== whole && !(await isBeginningOf(reading, cut, bytes))) wrong.push(text);
      }
      splits++;
    }
  }
  t.comment(`${splits} ways`);
  t.same(wrong.slice(0, 5), []);
});

t.test('a pipeline has the same requests wherever its bytes are cut twice', async (t) => {
  const text = 'GET /1 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /2 HTTP/1.1\r\nHost: a\r\n\r\nPOST / HTTP/1.1\r\n\r\n';
  const bytes = Buffer.from(text, 'latin1');
  const whole = await shown(await ourReading([bytes]));
  for (let first = 1; first < bytes.length; first++)
    for (let second = first + 1; second < bytes.length; second++) {
      const pieces = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
      if ((await shown(await ourReading(pieces, 'late'))) !== whole) t.fail(`cut at ${first} and ${second}`);
    }
  t.match(whole, /"\/2".*POST/);
});
