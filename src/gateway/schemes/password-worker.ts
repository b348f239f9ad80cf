import { parentPort } from 'node:worker_threads';
import { sameBytes } from '../../base/secret.ts';
import { apr1 } from './apr1.ts';
import type { ThreadAnswer, ThreadQuestion } from './password-thread.ts';

/** Runs in its own thread, and computes the hashes that Node.js cannot compute asynchronously. */
const judges: { readonly [Kind in Kinds]: Judge<Kind> } = {
  bcrypt: async ({ text }, password) => (await import('bcryptjs')).compareSync(password, text),
  apr1: async ({ salt, digest }, password) =>
    sameBytes(Buffer.from(apr1(Buffer.from(password), salt)), Buffer.from(digest)),
};

type Kinds = ThreadQuestion['stored']['kind'];
type Judge<Kind> = (stored: Extract<ThreadQuestion['stored'], { kind: Kind }>, password: string) => Promise<boolean>;

parentPort?.on('message', async ({ id, stored, password }: ThreadQuestion) => {
  // `kind` selects the row, so the row's type is right.
  const judge = judges[stored.kind] as Judge<Kinds>;
  const answer: ThreadAnswer = { id, right: await judge(stored, password) };
  parentPort?.postMessage(answer);
});
