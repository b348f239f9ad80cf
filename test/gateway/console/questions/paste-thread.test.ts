import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { PasteThread } from '../../../../src/gateway/console/questions/paste-thread.ts';

const asked = { kind: 'check', yaml: '' } as const;
const LIMITS = { text: 500, start: 60_000 };

function threadOf(t: Test, source: string): PasteThread {
  const head = "const { parentPort } = require('node:worker_threads');";
  const thread = new PasteThread(() => new Worker(`${head}${source}`, { eval: true }), LIMITS);
  t.teardown(() => thread.close());
  return thread;
}

/** Answers each text at once. */
const ANSWER = "parentPort.on('message', ({ id }) => parentPort.postMessage({ id, answer: [] }));";

t.test('the time in which the thread starts does not count for the text', async (t) => {
  const thread = threadOf(t, `setTimeout(() => { parentPort.postMessage('ready'); ${ANSWER} }, 1_000);`);
  t.strictSame(await thread.ask(asked), []);
});

t.test('a text that takes too long ends the thread, and the next text gets another thread', async (t) => {
  const thread = threadOf(
    t,
    "parentPort.postMessage('ready'); parentPort.on('message', ({ id }) => id !== 1 && parentPort.postMessage({ id, answer: [] }));",
  );
  t.equal(await thread.ask(asked), 'late');
  t.strictSame(await thread.ask(asked), []);
});

t.test('a thread that ends while it starts answers nothing', async (t) => {
  t.equal(await threadOf(t, 'process.exit(1);').ask(asked), 'late');
});
