import type { Random } from '../../support/random.ts';
import type { AnswerCase } from './answer-case.ts';
import { joined, type Parts, parts } from './answer-grammar.ts';

type Mutate = (answer: Parts, dice: Random) => void;

const LENGTHS = [
  '0',
  '1',
  '5',
  '16',
  '05',
  '+5',
  '-1',
  '5, 5',
  '5 5',
  '0x5',
  '',
  '5;',
  '1e1',
  '5.0',
  '18446744073709551621',
  '999999999999999',
  '9007199254740993',
  '\xb9',
];
const CODINGS = [
  'chunked',
  'Chunked',
  'chunked, chunked',
  'gzip, chunked',
  'chunked, gzip',
  'identity',
  'xchunked',
  'chunked;a=b',
  '',
  'chunked,',
  ',chunked',
  '"chunked"',
  '\x0bchunked',
  'chunke',
  'gzip',
];
const CONNECTIONS = [
  'close',
  'keep-alive',
  'upgrade',
  'Upgrade',
  'close, keep-alive',
  'keep-alive, close',
  'x, close ,y',
  'clos',
  'close;',
  '"close"',
  ',close',
  'close\t',
  'te, x-a',
  '',
  'keep-alive, upgrade',
  'closed',
];
const LIFETIMES = [
  'timeout=5',
  'timeout=0',
  'timeout=1',
  'timeout=2',
  'Timeout=1',
  'timeout=-1',
  'timeout',
  'timeout="1"',
  'timeout=1.5',
  'timeout=99999999999',
  'max=0',
  'xtimeout=1',
  'timeout = 1',
];
const STATUS_LINES = [
  'HTTP/1.1 100 Continue',
  'HTTP/1.1 101 Switching',
  'HTTP/1.1 102 x',
  'HTTP/1.1 103 x',
  'HTTP/1.1 204 x',
  'HTTP/1.1 304 x',
  'HTTP/1.1 205 x',
  'HTTP/1.1 200',
  'HTTP/1.1  200 OK',
  'HTTP/1.1 200  OK',
  ' HTTP/1.1 200 OK',
  'HTTP/1.1\t200 OK',
  'HTTP/1.1 20 OK',
  'HTTP/1.1 2000 OK',
  'HTTP/1.1 099 x',
  'HTTP/1.1 000 x',
  'HTTP/1.1 600 x',
  'HTTP/1.1 200OK',
  'HTTP/1.0 200 OK',
  'HTTP/0.9 200 OK',
  'HTTP/2.0 200 OK',
  'HTTP/1.2 200 OK',
  'HTTP/1.10 200 OK',
  'HTTP/01.1 200 OK',
  'http/1.1 200 OK',
  'HTTP/1,1 200 OK',
  'ICY 200 OK',
  'RTSP/1.0 200 OK',
  '',
  'HTTP/1.1 200 O\0K',
  'HTTP/1.1 200 \x7f',
];
const SIZES = [
  '5',
  '05',
  '5 ',
  ' 5',
  '5\t',
  '+5',
  '-5',
  '0x5',
  '5g',
  '',
  ';a',
  'ffffffffffffffff',
  '10000000000000005',
  '1fffffffffffff',
  '00000000000000000000005',
  '5;a=b\rc',
  '5;a=b\nc',
  '5;\0',
  '5 ;a',
  '5;a="b\\""',
  '5;a="',
  '5;;',
  '5;=',
  '5;a=',
  '5, 5',
  '5;\xe9',
  '5;a b',
];
const TRAILERS = [
  'Content-Length: 5',
  'content-length: 0',
  'Transfer-Encoding: chunked',
  'Connection: close',
  'Keep-Alive: timeout=1',
  'Upgrade: x',
  'broken',
  ': x',
  'x : y',
  'x: a\0',
  ' x: y',
  'Set-Cookie: a=b',
  'x-a:',
  'Proxy-Connection: close',
];
const BYTES = [
  '\0',
  '\x01',
  '\r',
  '\n',
  '\r\n',
  '\n\r',
  '\x7f',
  '\xff',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  'a',
  '\x0b',
  '\x0c',
  '\x85',
];
const EXTRA = [
  'x',
  '\r\n',
  '\n',
  '\0',
  'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
  '0\r\n\r\n',
  ' ',
  'HTTP/1.1 103 x\r\n\r\n',
  'HTTP/1.1 101 x\r\n\r\n',
];
const ODD = [
  'nocolon',
  ': x',
  ' folded',
  '\tfolded',
  'x : y',
  'x\t: y',
  'x y: z',
  'x\0: y',
  'x: \0',
  'x: a\rb',
  'x: a\nb',
  '"x": y',
  'x@: y',
  '\xe9: y',
  'x: \x7f',
  'x: \x01',
  'x:\x0b',
  '',
  ' ',
];

const insert = (list: string[], dice: Random, item: string): void => {
  list.splice(dice.below(list.length + 1), 0, item);
};

const withField =
  (name: string, values: readonly string[]): Mutate =>
  ({ fields }, dice) => {
    const spelt = dice.pick([name, name.toLowerCase(), name.toUpperCase()]);
    insert(fields, dice, `${spelt}${dice.pick([':', ': ', ':', ': ', ' : ', ':\t', ':  '])}${dice.pick(values)}`);
  };

const replacing =
  (pattern: RegExp, values: readonly string[]): Mutate =>
  ({ fields }, dice) => {
    const index = fields.findIndex((line) => pattern.test(line));
    if (index >= 0) fields[index] = `${fields[index]?.split(':')[0]}: ${dice.pick(values)}`;
  };

const ofContent =
  (pattern: RegExp, values: readonly string[], end: string): Mutate =>
  ({ content }, dice) => {
    const indexes = content.flatMap((piece, index) => (pattern.test(piece) ? [index] : []));
    if (indexes.length > 0) content[dice.pick(indexes)] = dice.pick(values) + end;
  };

/** How a malicious or faulty server changes a good answer. */
export const mutations: Readonly<Record<string, Mutate>> = {
  'a framing line twice'({ fields }, dice) {
    const framing = fields.filter((line) => /^(content-length|transfer-encoding|connection|keep-alive)/i.test(line));
    if (framing.length > 0) insert(fields, dice, dice.pick(framing));
  },
  'a Content-Length more': withField('Content-Length', LENGTHS),
  'another Content-Length': replacing(/^content-length/i, LENGTHS),
  'a Transfer-Encoding more': withField('Transfer-Encoding', CODINGS),
  'another Transfer-Encoding': replacing(/^transfer-encoding/i, CODINGS),
  'a Connection': withField('Connection', CONNECTIONS),
  'a Proxy-Connection': withField('Proxy-Connection', CONNECTIONS),
  'a Keep-Alive': withField('Keep-Alive', LIFETIMES),
  'an Upgrade': withField('Upgrade', ['websocket', 'h2c', '']),
  'an odd line'({ fields }, dice) {
    insert(fields, dice, dice.pick(ODD));
  },
  'a line cut'({ fields }, dice) {
    const index = dice.below(fields.length || 1);
    const line = fields[index];
    if (line !== undefined) fields[index] = line.slice(0, dice.below(line.length + 1));
  },
  'no framing'(answer) {
    answer.fields = answer.fields.filter((line) => !/^(content-length|transfer-encoding)/i.test(line));
  },
  'another status line'(answer, dice) {
    answer.statusLine = dice.pick(STATUS_LINES);
  },
  'another chunk size': ofContent(/^[0-9a-f]+(;.*)?\r\n$/i, SIZES, '\r\n'),
  'another end of a chunk': ofContent(/^\r\n$/, ['', '\n', '\r', '\r\r\n', 'x\r\n', ' \r\n', '\n\r'], ''),
  'another trailer'({ content }, dice) {
    content.splice(Math.max(0, content.length - 1), 0, `${dice.pick(TRAILERS)}${dice.pick(['\r\n', '\r\n', '\n'])}`);
  },
  'content missing'({ content }, dice) {
    content.splice(dice.below(content.length || 1), 1);
  },
  'content twice'({ content }, dice) {
    const piece = content[dice.below(content.length || 1)];
    if (piece !== undefined) insert(content, dice, piece);
  },
  'content that is not announced'({ content }, dice) {
    insert(content, dice, dice.pick(EXTRA));
  },
  'an interim answer'({ interim, fields }, dice) {
    const lines = dice.chance(0.5) ? fields.map((line) => `${line}\r\n`).join('') : '';
    interim.push(`${dice.pick(STATUS_LINES)}\r\n${lines}\r\n`);
  },
  'many interim answers'({ interim }, dice) {
    for (let i = dice.below(40); i > 0; i--) interim.push('HTTP/1.1 103 Early Hints\r\n\r\n');
  },
  'another end'(answer) {
    answer.ends = !answer.ends;
  },
};

type Spoil = (answer: AnswerCase, dice: Random) => AnswerCase;

/** Below the level of the grammar. */
export const spoils: Readonly<Record<string, Spoil>> = {
  'a byte more': (answer, dice) => spliced(answer, dice.below(answer.bytes.length + 1), 0, dice.pick(BYTES)),
  'a byte less': (answer, dice) => spliced(answer, dice.below(answer.bytes.length), 1, ''),
  'another byte': (answer, dice) => spliced(answer, dice.below(answer.bytes.length), 1, dice.pick(BYTES)),
  'another line end': (answer, dice) => {
    const ends = [...answer.bytes.matchAll(/\r\n/g)].map(({ index }) => index);
    return ends.length === 0
      ? answer
      : spliced(
          answer,
          dice.pick(ends),
          2,
          dice.pick(['\n', '\r', '\n\r', '\r\r\n', '\r\n\r\n', '', '\r\n ', ' \r\n']),
        );
  },
  'cut short': (answer, dice) => ({
    ...spliced(answer, dice.below(answer.bytes.length + 1), answer.bytes.length, ''),
    ends: dice.chance(0.7),
  }),
  'bytes behind it': (answer, dice) => spliced(answer, answer.bytes.length, 0, dice.pick(EXTRA)),
  'bytes before it': (answer, dice) => spliced(answer, 0, 0, dice.pick(EXTRA)),
};

function spliced(answer: AnswerCase, at: number, length: number, text: string): AnswerCase {
  return { ...answer, bytes: answer.bytes.slice(0, at) + text + answer.bytes.slice(at + length) };
}

const mutate = Object.values(mutations);
const spoil = Object.values(spoils);

export function mutated(dice: Random): AnswerCase {
  const answer = parts(dice);
  for (let i = dice.below(3); i >= 0; i--) dice.pick(mutate)(answer, dice);
  const made = joined(answer);
  return dice.chance(0.4) ? dice.pick(spoil)(made, dice) : made;
}

/** The bytes in packets. */
export function cuts(bytes: Buffer, dice: Random): readonly Buffer[] {
  if (bytes.length > 1 && dice.chance(0.05)) return Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  const at = Array.from({ length: dice.below(5) }, () => dice.below(bytes.length + 1)).sort((a, b) => a - b);
  const bounds = [0, ...at, bytes.length];
  return bounds
    .slice(1)
    .flatMap((end, index) => (end > (bounds[index] as number) ? [bytes.subarray(bounds[index], end)] : []));
}
