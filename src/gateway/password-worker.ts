import { parentPort } from 'node:worker_threads';
import { sameBytes } from '../base/secret.ts';
import { apr1 } from './apr1.ts';
import type { ThreadAnswer, ThreadQuestion } from './password-thread.ts';

/** Runs in a thread of its own: hashes that Node.js has no asynchronous way to compute. */
const judges: { readonly [Kind in ThreadQuestion['stored']['kind']]: Judge<Kind> } = {
  apr1: ({ salt, digest }, password) => sameBytes(Buffer.from(apr1(Buffer.from(password), salt)), Buffer.from(digest)),
};

type Judge<Kind> = (stored: Extract<ThreadQuestion['stored'], { kind: Kind }>, password: string) => boolean;

parentPort?.on('message', ({ id, stored, password }: ThreadQuestion) => {
  const answer: ThreadAnswer = { id, right: judges[stored.kind](stored, password) };
  parentPort?.postMessage(answer);
});
