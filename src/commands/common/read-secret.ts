import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { Writable } from 'node:stream';
import { decodeUtf8 } from '../../base/utf8.ts';

/** The input for a secret, and the output for its prompt. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

export type ReadSecret =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly message: string };

const processTerminal: Terminal = { input: process.stdin, output: process.stderr };

/**
 * Reads a secret for a command. Arguments are no place for it: the process list and the shell history show them. A terminal
 * asks twice and shows nothing. Otherwise the secret is the whole input without one final line break.
 */
export function readSecret(what: string, terminal: Terminal = processTerminal): Promise<ReadSecret> {
  return terminal.input.isTTY ? prompt(what, terminal) : readAll(what, terminal.input);
}

/** Reads a secret that exists already, so a terminal asks once. */
export async function readKnownSecret(what: string, terminal: Terminal = processTerminal): Promise<ReadSecret> {
  if (!terminal.input.isTTY) return readAll(what, terminal.input);
  const text = await ask(`${what}: `, terminal);
  return text === undefined ? { kind: 'unreadable', message: 'nothing was read' } : { kind: 'read', text };
}

async function prompt(what: string, terminal: Terminal): Promise<ReadSecret> {
  const first = await ask(`${what}: `, terminal);
  const second = first === undefined ? undefined : await ask(`${what}, again: `, terminal);
  if (first === undefined || second === undefined) return { kind: 'unreadable', message: 'nothing was read' };
  return first === second ? { kind: 'read', text: first } : { kind: 'unreadable', message: 'the two inputs differ' };
}

/** Undefined if the input ended or was interrupted. */
async function ask(question: string, { input, output }: Terminal): Promise<string | undefined> {
  output.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  const gone = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([lines.question(''), gone]);
  } finally {
    lines.close();
    output.write('\n');
  }
}

/** Bytes: longer than any secret. */
const LONGEST = 65_536;

async function readAll(what: string, input: Readable): Promise<ReadSecret> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > LONGEST) return { kind: 'unreadable', message: `the input is too long for a ${what.toLowerCase()}` };
  }
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Uint8Array): ReadSecret {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { kind: 'unreadable', message: 'the input is not UTF-8' };
  return { kind: 'read', text: text.replace(/\r?\n$/, '') };
}
