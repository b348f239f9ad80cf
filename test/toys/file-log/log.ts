import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import type { SqlValue, Statement } from '../../../src/storage/engine/verb.ts';

/** The statements of one transaction: one line of the log. */
export type Transaction = readonly Pick<Statement, 'sql' | 'parameters'>[];

/** JSON has no bytes. */
type Written = string | number | null | { readonly base64: string };
type Line = readonly (readonly [sql: string, ...parameters: Written[]])[];

/** Durable when it returns. Returns how many bytes the log has grown by. */
export function append(file: string, transaction: Transaction): number {
  const line = Buffer.from(`${JSON.stringify(transaction.map(written))}\n`);
  const descriptor = openSync(file, 'a', 0o600);
  try {
    writeSync(descriptor, line);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return line.length;
}

/**
 * The transactions from a byte on, and where the next one will begin. A transaction that a crash cut off never
 * happened.
 */
export function readFrom(file: string, start: number): { transactions: readonly Transaction[]; end: number } {
  const bytes = bytesFrom(file, start);
  const length = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.toString('utf8', 0, length).split('\n').slice(0, -1);
  return { transactions: lines.map(read), end: start + length };
}

function bytesFrom(file: string, start: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - start));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start));
  } finally {
    closeSync(descriptor);
  }
}

function written({ sql, parameters }: Transaction[number]): Line[number] {
  return [sql, ...parameters.map((value) => (value instanceof Uint8Array ? base64(value) : value))];
}

function base64(bytes: Uint8Array): Written {
  return { base64: Buffer.from(bytes).toString('base64') };
}

/** Of a line that this program wrote. */
function read(line: string): Transaction {
  const statements: Line = JSON.parse(line);
  return statements.map(([sql, ...parameters]) => ({ sql, parameters: parameters.map(unwritten) }));
}

function unwritten(value: Written): SqlValue {
  return typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value;
}
