import type { Random } from '../../support/random.ts';
import type { AnswerCase } from './answer-case.ts';

/** An answer in parts, so that a test can damage one part. */
export interface Parts {
  readonly method: 'GET' | 'HEAD';
  readonly upgrades: boolean;
  /** Whole interim answers. */
  interim: string[];
  statusLine: string;
  /** Without line ends. */
  fields: string[];
  /** The bytes after the head, in meaningful pieces: a chunk's line, its data, a trailer. */
  content: string[];
  ends: boolean;
}

const STATUSES = [200, 200, 200, 201, 204, 205, 206, 301, 304, 400, 404, 417, 500, 503, 299, 599, 999];
const NAMES = ['x-a', 'Date', 'ETag', 'Set-Cookie', 'Content-Type', 'Vary', 'x', 'Server', 'Upgrade', 'Link'];
const VALUES = ['', '1', 'a=b; c="d"', 'text/html; charset=utf-8', 'W/"1"', '\xe9\xff', 'a, b', 'a\tb', 'a:b', '\x80'];
const LETTERS = 'abcdefgh0123456789\r\n:;, \0';

export function parts(dice: Random): Parts {
  const method = dice.chance(0.15) ? 'HEAD' : 'GET';
  const upgrades = dice.chance(0.1);
  const interim = dice.chance(0.1) ? Array.from({ length: 1 + dice.below(2) }, () => interimAnswer(dice)) : [];
  if (upgrades && dice.chance(0.5)) return switching(dice, { method, upgrades, interim });
  const status = dice.pick(STATUSES);
  const isOld = dice.chance(0.08);
  const made = framing(dice, isOld);
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  return {
    method,
    upgrades,
    interim,
    statusLine: `HTTP/1.${isOld ? 0 : 1} ${status}${dice.pick([' ', ' OK', ' Some thing', ' \xe9'])}`,
    fields: shuffled(dice, [...others(dice), ...(isEmpty && status !== 200 ? [] : made.fields)]),
    content: isEmpty ? [] : made.content,
    ends: (made.needsEnd && !isEmpty) || dice.chance(0.2),
  };
}

function switching(dice: Random, asked: Pick<Parts, 'method' | 'upgrades' | 'interim'>): Parts {
  const fields = ['Connection: Upgrade', 'Upgrade: websocket', ...others(dice)];
  const statusLine = 'HTTP/1.1 101 Switching Protocols';
  return { ...asked, statusLine, fields, content: [dice.text(LETTERS, dice.below(10))], ends: false };
}

function interimAnswer(dice: Random): string {
  const link = dice.chance(0.5) ? 'Link: </a>\r\n' : '';
  return `HTTP/1.1 ${dice.pick([102, 103, 103, 199])} Wait\r\n${link}\r\n`;
}

function others(dice: Random): string[] {
  const fields = Array.from({ length: dice.below(4) }, () => field(dice, dice.pick(NAMES), dice.pick(VALUES)));
  if (dice.chance(0.2))
    fields.push(field(dice, 'Connection', dice.pick(['close', 'keep-alive', 'Close', 'x-a, close', 'x-a'])));
  if (dice.chance(0.1))
    fields.push(
      field(dice, 'Keep-Alive', dice.pick(['timeout=5', 'timeout=1', 'timeout=0', 'max=3, timeout=20', 'max=1'])),
    );
  return fields;
}

function field(dice: Random, name: string, value: string): string {
  const spelt = dice.pick([name, name, name.toLowerCase(), name.toUpperCase()]);
  return `${spelt}:${dice.pick([' ', ' ', ' ', '', '\t', '  '])}${value}${dice.pick(['', '', '', ' ', '\t ', '  '])}`;
}

interface Framed {
  readonly fields: readonly string[];
  readonly content: string[];
  readonly needsEnd: boolean;
}

function framing(dice: Random, isOld: boolean): Framed {
  const kind = dice.below(isOld ? 2 : 4);
  const text = dice.text(LETTERS, dice.pick([0, 1, 5, 16, 30]));
  if (kind === 0) return { fields: [], content: [text], needsEnd: true };
  if (kind === 1)
    return { fields: [field(dice, 'Content-Length', String(text.length))], content: [text], needsEnd: false };
  return {
    fields: [field(dice, 'Transfer-Encoding', dice.pick(['chunked', 'Chunked']))],
    content: chunks(dice),
    needsEnd: false,
  };
}

function chunks(dice: Random): string[] {
  const content: string[] = [];
  for (let i = dice.below(4); i > 0; i--) {
    const text = dice.text(LETTERS, 1 + dice.below(20));
    const size = text.length.toString(16);
    const extension = dice.pick(['', '', '', ';a', ';a=b', ';a="b"', ';a=b;c=d']);
    content.push(`${dice.pick(['', '', '0', '000'])}${dice.chance(0.5) ? size : size.toUpperCase()}${extension}\r\n`);
    content.push(text, '\r\n');
  }
  content.push(`${dice.pick(['0', '0', '00'])}${dice.pick(['', '', ';a=b'])}\r\n`);
  for (let i = dice.chance(0.3) ? 1 + dice.below(2) : 0; i > 0; i--)
    content.push(`${field(dice, 'x-sum', dice.pick(VALUES))}\r\n`);
  content.push('\r\n');
  return content;
}

function shuffled<T>(dice: Random, items: readonly T[]): T[] {
  const order: T[] = [];
  for (const item of items) order.splice(dice.below(order.length + 1), 0, item);
  return order;
}

export function joined({ method, upgrades, interim, statusLine, fields, content, ends }: Parts): AnswerCase {
  const head = [statusLine, ...fields, '', ''].join('\r\n');
  return { method, upgrades, bytes: interim.join('') + head + content.join(''), ends };
}
