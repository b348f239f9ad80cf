import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { behind, gateway, type TestGateway } from '../support/gateway.ts';
import { sample } from '../support/metric-sample.ts';
import { ask } from '../support/raw-client.ts';
import { type RawUpstream, rawUpstream } from '../support/raw-upstream.ts';
import { requestText } from '../support/request-text.ts';
import { answersByPart, type LegacyAnswer, legacyAnswers, type Outcome, tableOf } from './engines/legacy-answers.ts';

// How each engine handles answers of old and unusual servers.

/** Several hundred requests, one after the other: 20 s on a busy machine. */
t.setTimeout(180_000);

const engines = ['own', 'undici'] as const;
type Engine = (typeof engines)[number];

interface Place extends TestGateway {
  readonly upstream: RawUpstream;
  /** How often the upstream got this request since the last call. */
  asked(method: string, target: string): number;
}

const nameOf = (engine: Engine, index: number) => `${engine}-${index}`;

const REQUEST = /(?:GET|HEAD|POST) \/(own|undici)-(\d+)/g;

/** One server, which each row uses as a separate upstream, so that rows do not affect each other. */
async function place(t: Test): Promise<Place> {
  const counts = new Map<string, number>();
  const upstream = await rawUpstream(t, ({ socket, received }) => {
    const [line = '', , index = ''] = [...received.matchAll(REQUEST)].at(-1) ?? [];
    counts.set(line, (counts.get(line) ?? 0) + 1);
    const { bytes, ends } = legacyAnswers[Number(index)] as LegacyAnswer;
    socket.write(bytes, 'latin1');
    if (ends) socket.end();
  });
  const names = engines.flatMap((engine) => legacyAnswers.map((_, index) => ({ engine, name: nameOf(engine, index) })));
  const running = await gateway(
    t,
    behind('', {
      admin: '127.0.0.1:0',
      upstreams: Object.fromEntries(names.map(({ name, engine }) => [name, { url: upstream.url, engine }])),
      defaults: {},
      routes: names.map(({ name }) => ({ id: name, match: { path: `/${name}` }, upstream: name, access: 'public' })),
    }),
  );
  const asked = (method: string, target: string) => {
    const line = `${method} ${target}`;
    const count = counts.get(line) ?? 0;
    counts.delete(line);
    return count;
  };
  return { ...running, upstream, asked };
}

/** What the client got. */
async function play({ port }: Place, answer: LegacyAnswer, method: string, target: string): Promise<string> {
  const { status = 200, body = 'abc' } = answer;
  const request = requestText({ method, target, ...(method === 'POST' && { body: 'a=b' }) });
  const response = await ask(port, request, { method }).catch(() => undefined);
  if (response?.complete !== true) return 'cut';
  const is = { status: response.status, body: response.body.toString('latin1') };
  if (is.status === status && is.body === body) return 'read';
  return is.status === 502 ? '502' : JSON.stringify(is);
}

/** The request for each row, and how often the upstream may get it. */
const questions = ['GET', 'POST', 'POST', 'GET'] as const;

/**
 * For `undici`: the first answer causes a repeated request. After the second, the gateway uses undici, and does not
 * repeat.
 */
function expected(answer: LegacyAnswer, engine: Engine): readonly string[] {
  const outcome: Outcome = answer[engine];
  if (answer.method !== undefined) return [`${outcome} 1`];
  if (outcome === 'undici') return ['read 2', '502 1', 'read 1', 'read 1'];
  const isAgain = answer.again?.includes(engine) === true;
  return questions.map((method) => `${outcome} ${isAgain && method === 'GET' ? 2 : 1}`);
}

async function seen(running: Place, answer: LegacyAnswer, name: string): Promise<readonly string[]> {
  const methods = answer.method === undefined ? questions : [answer.method];
  const told: string[] = [];
  for (const method of methods)
    told.push(`${await play(running, answer, method, `/${name}`)} ${running.asked(method, `/${name}`)}`);
  return told;
}

/** How many requests of one row each connection carried. */
function carried({ upstream }: Place, name: string): readonly number[] {
  const requests = upstream.connections.map(({ received }) => [...received.matchAll(REQUEST)].map(([line]) => line));
  return requests.map((lines) => lines.filter((line) => line.endsWith(`/${name}`)).length).filter((count) => count > 0);
}

/** The signs that undici is in use: the metric, and lines of the log. */
async function fallback({ adminUrl = '', log }: Place, name: string): Promise<readonly [number, number]> {
  const told = log.filter(
    ({ upstream, msg }) => upstream === name && String(msg).startsWith('the gateway uses undici'),
  );
  return [await sample(adminUrl, 'gatehouse_upstream_engine_fallback', { upstream: name }), told.length];
}

t.test('the table has at least sixty answers, with unique names', async (t) => {
  t.ok(legacyAnswers.length >= 60, `${legacyAnswers.length}`);
  t.equal(new Set(legacyAnswers.map(({ name }) => name)).size, legacyAnswers.length);
});

t.test('each legacy answer is read, read by undici, or rejected, as the table says', async (t) => {
  const running = await place(t);
  for (const engine of engines)
    for (const [index, answer] of legacyAnswers.entries()) {
      const name = nameOf(engine, index);
      t.strictSame(await seen(running, answer, name), expected(answer, engine), `${name}: ${answer.name}`);
      const outcome: Outcome = answer[engine];
      if (outcome === 'undici') t.ok(carried(running, name).length >= 3, `${name}: what was not understood was closed`);
      if (outcome === '502' || outcome === 'cut')
        t.ok(
          carried(running, name).every((count) => count === 1),
          `${name}: what was refused was closed`,
        );
      t.strictSame(await fallback(running, name), outcome === 'undici' ? [1, 1] : [0, 0], `${name}: undici took over`);
    }
});

t.test('docs/upstream-answers.md has the table', async (t) => {
  const page = readFileSync(new URL('../../docs/upstream-answers.md', import.meta.url), 'utf8');
  for (const [heading, answers] of Object.entries(answersByPart)) {
    const [, section = ''] = page.split(`## ${heading}\n`);
    const [lines = ''] = section.split('\n## ');
    t.equal(`${lines.trim()}\n`, tableOf(answers), heading);
  }
});
