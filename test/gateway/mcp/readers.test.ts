import t, { type Test } from 'tap';
import { fold } from '../../../src/config/words/fold-name.ts';
import { decodeValue } from '../../../src/gateway/mcp/header-value.ts';
import { readMessage } from '../../../src/gateway/mcp/message.ts';
import { entry } from '../../../src/gateway/message/codes.ts';
import { messagePairs, type Pair } from '../../support/mcp/message-pairs.ts';
import { type Found, messageReaders, type Reader, startReader } from '../../support/mcp/readers.ts';
import fc, { tries } from '../../support/properties.ts';
import { bearer, type Decider, decider } from '../decide/decider.ts';

/** A long run asks two other programs about 50,000 bodies. */
t.setTimeout(120_000);

/** Pairs that go to the other readers at once. */
const BATCH = 250;
const NEW = '2026-07-28';

const counts = { accepted: 0, refused: 0, 'read by Python': 0, 'read by Go': 0, 'the two disagree': 0 };

/** The status of the gateway's refusal. Undefined: the request goes to the upstream. */
async function refusal(gateway: Decider, { headers, body }: Pair): Promise<number | undefined> {
  const outcome = await gateway.decide({
    line: 'POST /mcp',
    headers: ['Content-Type', 'application/json', 'Content-Length', String(body.length), ...bearer, ...headers],
    body,
  });
  if (outcome.kind === 'forward') return undefined;
  return outcome.kind === 'refuse' ? entry(outcome.code).status : 500;
}

/** As some servers read them, in every spelling. */
function valuesOf({ headers }: Pair, name: string): readonly string[] {
  return headers.filter((_, at) => at % 2 === 1 && fold(headers[at - 1] as string) === name);
}

/** How the headers of an accepted request differ from what a reader found in its body. Undefined: they agree. */
function differing(pair: Pair, found: Found): string | undefined {
  const [method, name, version] = ['mcp-method', 'mcp-name', 'mcp-protocol-version'].map((of) => valuesOf(pair, of));
  const isSame = (values: readonly string[] | undefined, text: string | undefined) =>
    values?.every((value) => decodeValue(value) === text) === true && values.length < 2;
  if (!isSame(method, found.method)) return 'Mcp-Method';
  if (!isSame(name, found.names.length === 1 && found.method !== 'completion/complete' ? found.names[0] : undefined))
    return 'Mcp-Name';
  if (found.version !== '' && !isSame(version, found.version)) return 'MCP-Protocol-Version';
  const isRequired = version?.[0] === NEW && found.method.startsWith('tools/call');
  return isRequired && (method?.length !== 1 || name?.length !== 1) ? 'a missing header' : undefined;
}

/** What the gateway's rules were applied to. */
function judged(body: Buffer): Omit<Found, 'version'> {
  const message = readMessage(body);
  if (message.kind === 'fault') return { fault: message.detail, method: '', names: [] };
  const { method, operations } = message;
  const own = operations.filter((operation) => operation.name !== undefined);
  const names = method === 'resources/subscribe' ? own.slice(0, 1) : own;
  return { method, names: names.map(({ name }) => name ?? '') };
}

function check(pair: Pair, status: number | undefined, read: readonly Found[]): void {
  count(status, read);
  if (status === 400) return;
  const told = () => JSON.stringify({ ...pair, body: pair.body.toString('latin1'), status, read });
  if (status !== undefined) throw new Error(`a body that cannot be read gets 400: ${told()}`);
  const { method, names } = judged(pair.body);
  for (const found of read) {
    if (found.fault !== undefined) throw new Error(`another reader fails: ${told()}`);
    if (found.method !== method || JSON.stringify(found.names) !== JSON.stringify(names))
      throw new Error(`another reader finds another operation: ${told()}`);
    const header = differing(pair, found);
    if (header !== undefined) throw new Error(`${header} differs: ${told()}`);
  }
}

function count(status: number | undefined, read: readonly Found[]): void {
  counts[status === undefined ? 'accepted' : 'refused']++;
  const [python, go] = read.map((found) => found.fault === undefined);
  if (python) counts['read by Python']++;
  if (go) counts['read by Go']++;
  const operation = ({ method, names }: Found) => JSON.stringify([method, names]);
  if (python && go && new Set(read.map(operation)).size > 1) counts['the two disagree']++;
}

async function differences(t: Test, readers: readonly Reader<Found>[]): Promise<void> {
  const gateway = decider({ routes: [{ id: 'tools', access: 'authenticated', match: { path: '/mcp' }, mcp: {} }] });
  const { numRuns = 0 } = tries(1000, 10_000);
  const seed = fc.readConfigureGlobal()?.seed ?? Math.trunc(performance.timeOrigin % 2 ** 31);
  t.comment(`GATEHOUSE_SEED=${seed}`);
  // No shrinking: a pair is small, and many pairs are read at once.
  const pairs = fc.sample(messagePairs, { numRuns, seed });
  for (let at = 0; at < pairs.length; at += BATCH) await compare(gateway, readers, pairs.slice(at, at + BATCH));
}

async function compare(gateway: Decider, readers: readonly Reader<Found>[], pairs: readonly Pair[]): Promise<void> {
  const bodies = pairs.map(({ body }) => body);
  const read = await Promise.all(readers.map((reader) => reader.ask(bodies)));
  const statuses = await Promise.all(pairs.map((pair) => refusal(gateway, pair)));
  const foundAt = (at: number) => read.map((found) => found[at] as Found);
  pairs.forEach((pair, at) => {
    check(pair, statuses[at], foundAt(at));
  });
}

t.test(
  'each reader behind the gateway finds the method and the names that were judged, or the answer is 400',
  async (t) => {
    const peers = Object.values(messageReaders).map((find) => find());
    const readers: Reader<Found>[] = [];
    for (const peer of peers) {
      if ('missing' in peer) return t.plan(0, peer.missing);
      readers.push(startReader<Found>(t, peer));
    }
    await differences(t, readers);
    const { accepted, refused } = counts;
    t.comment(`${accepted + refused} pairs: ${JSON.stringify(counts)}`);
    t.ok(accepted > refused / 4, 'enough requests are accepted');
    t.ok(refused > accepted / 4, 'enough requests are refused');
    t.ok(counts['the two disagree'] > 0, 'some bodies have two readings');
  },
);
