import { parentPort } from 'node:worker_threads';
import type { PasteMessage, PasteQuestion } from './paste-thread.ts';
import { answerPasted } from './pasted.ts';

/** Runs in its own thread. */
parentPort?.on('message', async ({ id, asked }: PasteQuestion) => {
  parentPort?.postMessage({ id, answer: await answerPasted(asked) } satisfies PasteMessage);
});
parentPort?.postMessage('ready' satisfies PasteMessage);
