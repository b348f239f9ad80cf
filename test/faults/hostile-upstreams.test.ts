import t, { type Test } from 'tap';
import { behind } from '../support/gateway.ts';
import { type GatewayProcess, startProcess, throws } from '../support/process.ts';
import { connectTo } from '../support/raw-client.ts';
import { until } from '../support/until.ts';
import { answersOver, type HostileAnswer, hostileAnswers } from './support/hostile-answers.ts';
import { askingFor, methodOf, wrongWith } from './support/hostile-asking.ts';
import { byteByByte, type Piece, RST } from './support/played-answer.ts';
import { sized } from './support/size.ts';
import { type Tagged, type TaggedConnection, tagged, taggedUpstream } from './support/tagged-upstream.ts';
import { upstreamEngines } from './support/upstream-engines.ts';

/** Repeats each fault, in the sizes of docs/promises.md. */
t.setTimeout(sized(600_000, 900_000, 3 * 3_600_000));

/** Of the upstream whose answers end by a time limit. A slow machine ends no others. */
const timeout = { response: '1s', idle: '400ms' };
const routes = [
  { id: 'by-time', match: { path: '/public/by-time/{rest*}' }, access: 'public', upstream: 'brief' },
  { id: 'public', match: { path: '/public/{rest*}' }, access: 'public' },
];

interface Scene {
  readonly answers: readonly HostileAnswer[];
  readonly gateway: GatewayProcess;
  /** The connections of the answers, by the request's tag. */
  readonly asked: Map<string, TaggedConnection[]>;
}

const HOSTILE = /\/hostile\/(\w+)\/(\d+)$/;

/** How the bytes of an answer arrive. */
const ways = {
  whole: (pieces: Iterable<Piece>) => pieces,
  split: byteByByte,
};

type Way = keyof typeof ways;

async function scene(t: Test, engine: string, block: object): Promise<Scene> {
  const asked = new Map<string, TaggedConnection[]>();
  const answering = ({ target, tag, connection }: Tagged): Iterable<Piece> => {
    asked.set(tag, [...(asked.get(tag) ?? []), connection]);
    const [, way, index] = HOSTILE.exec(target) ?? [];
    if (way === undefined) return [tagged(tag)];
    return ways[way as Way]((hostileAnswers[Number(index)] as HostileAnswer).says(tag));
  };
  const { url } = await taggedUpstream(t, answering);
  const upstreams = { api: { url, ...block }, brief: { url, timeout, ...block } };
  const gateway = await startProcess({ config: behind(url, { routes, upstreams }) });
  t.teardown(() => gateway.stop());
  return { gateway, asked, answers: answersOver(engine) };
}

async function ask(
  { gateway }: Pick<Scene, 'gateway'>,
  answer: HostileAnswer | undefined,
  target: string,
  tag: string,
) {
  const client = await connectTo(gateway.port);
  client.send(askingFor(answer, target, tag));
  try {
    return await client.read({ method: methodOf(answer) });
  } finally {
    client.destroy();
  }
}

/** What went wrong with one answer of the table, and with the request after it. */
async function* wrongs(scene: Scene, index: number, way: Way): AsyncGenerator<string | undefined> {
  const answer = scene.answers[index] as HostileAnswer;
  const tag = `${way}-${index}`;
  scene.asked.delete(tag);
  yield wrongWith(
    answer,
    tag,
    await ask(scene, answer, `/public/${answer.byTime ? 'by-time/' : ''}hostile/${way}/${index}`, tag),
  );
  const used = scene.asked.get(tag) ?? [];
  if (answer.keeps === undefined && !(await until(() => used.every(({ closed }) => closed), 3_000)))
    yield 'its connection to the upstream stays open';
  if (used.length > (methodOf(answer) === 'POST' ? 1 : 2)) yield `asked ${used.length} times`;
  const next = await ask(scene, undefined, '/public/good', `after-${tag}`);
  yield wrongWith({ outcome: { status: 200, body: (own) => `for ${own}` } }, `after-${tag}`, next);
}

async function assertRow(t: Test, scene: Scene, index: number, way: Way): Promise<void> {
  for (const wrong of await allWrongs(scene, index, way)) t.fail(`${hostileAnswers[index]?.name} (${way}): ${wrong}`);
}

async function allWrongs(scene: Scene, index: number, way: Way): Promise<readonly string[]> {
  const found: string[] = [];
  try {
    for await (const wrong of wrongs(scene, index, way)) if (wrong !== undefined) found.push(wrong);
  } catch (error) {
    found.push((error as Error).message);
  }
  return found;
}

for (const { name, block } of upstreamEngines) {
  t.test(
    `${name}: each hostile answer is 502, 504, cut or relayed unchanged, and a doubtful connection is closed`,
    async (t) => {
      t.ok(hostileAnswers.length >= 40);
      const before = await scene(t, name, block);
      for (let i = 0; i < sized(1, 3, 50); i++) {
        for (const [index, { heavy }] of hostileAnswers.entries()) {
          await assertRow(t, before, index, 'whole');
          if (heavy === undefined) await assertRow(t, before, index, 'split');
        }
      }
      t.ok(before.gateway.running);
      t.same(throws(before.gateway.output()), []);
    },
  );
}

for (const { name, block } of upstreamEngines) {
  t.test(`${name}: a request that waits for a connection survives a reset after the previous answer`, async (t) => {
    const { url } = await taggedUpstream(t, ({ tag }) => [tagged(tag), RST]);
    const upstreams = { api: { url, max_connections: 1, ...block } };
    const gateway = await startProcess({ config: behind(url, { upstreams }) });
    t.teardown(() => gateway.stop());
    const lost: string[] = [];
    const send = async (tag: string) => {
      const response = await ask({ gateway }, undefined, '/public/good', tag);
      if (response?.status !== 200) lost.push(`${tag}: ${response?.status}`);
    };
    for (let i = 0; i < sized(300, 3_000, 50_000); i++) await Promise.all([send(`first-${i}`), send(`second-${i}`)]);
    t.same(lost.slice(0, 5), [], `${lost.length} were lost`);
  });
}
