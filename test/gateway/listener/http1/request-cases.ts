import { readdirSync } from 'node:fs';
import { corpus, corpusFolder } from '../../../support/corpora.ts';
import { allEntries, serialisations } from '../../../support/desync-entries.ts';
import { llhttpBlocks } from '../../../support/llhttp-blocks.ts';
import { allProbes } from '../../../support/probe-cases.ts';
import type { Random } from '../../../support/random.ts';

// Bytes that arrive on a connection, as latin1: corpora of hostile requests, random requests, and changed ones.

/** Http11Probe, http-desync-guardian, and llhttp's own request tests. */
export function corpusCases(): readonly string[] {
  const probes = allProbes('a.example').map(({ payload }) => payload);
  const desync = allEntries().flatMap(serialisations);
  const files = readdirSync(`${corpusFolder}llhttp`).filter((file) => /^(request|url)/.test(file));
  const llhttp = files.flatMap((file) => llhttpBlocks(corpus(`llhttp/${file}`), file)).map(({ bytes }) => bytes);
  return [...probes, ...desync, ...llhttp];
}

const NAMES = [
  'Host',
  'Host',
  'host',
  'Authorization',
  'X-A',
  'Connection',
  'Content-Length',
  'Transfer-Encoding',
  'Expect',
  'Upgrade',
  'TE',
  'Trailer',
  'Keep-Alive',
  'Proxy-Connection',
  'X_B',
  'a',
  'Cookie',
  'content-length ',
  'Content_Length',
  'HTTP2-Settings',
];
const VALUES = [
  'a.example',
  'Bearer abc',
  '',
  ' ',
  '0',
  '5',
  'chunked',
  'close',
  'keep-alive',
  'Keep-Alive',
  'close, x',
  'upgrade',
  '100-continue',
  'h2c',
  'x\ty',
  '\u00e9',
  '  v  ',
  'trailers',
  'a\r\n b',
  'a\x00b',
  'a\nb',
  'a\rb',
  'x\x7f',
];
const METHODS = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'get',
  'GETS',
  'HEA',
  'PRI',
  'PROXY',
];
const TARGETS = ['/', '/a?b=c', '/%41', 'http://h/x', '*', '/a b', '/\u00e9', '/#f', '//', '/\x7f', '', '/"<>\\^`{|}'];
const VERSIONS = ['1.1', '1.1', '1.1', '1.1', '1.0', '1.2', '2.0', '0.9'];
const ODD = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\x00',
  ':',
  '\x80',
  '\xff',
  'HTTP/1.1',
  'Content-Length: 3\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Host: b\r\n',
  '\r\n\r\n',
  '\x0b',
  '\x7f',
  ';',
  ',',
];

function anyRequest(dice: Random): string {
  const line = `${dice.pick(METHODS)} ${dice.pick(TARGETS)} HTTP/${dice.pick(VERSIONS)}\r\n`;
  const field = () => `${dice.pick(NAMES)}:${dice.pick([' ', '', '  ', '\t'])}${dice.pick(VALUES)}\r\n`;
  const fields = Array.from({ length: dice.below(5) }, field).join('');
  return `${line}${fields}\r\n${dice.pick(['', '', '', 'hello', '0\r\n\r\n'])}`;
}

/** The next request often has another one, and else the same fields. */
const CREDENTIALS = [' Bearer abc', ' Bearer abc', ' Bearer b', '', ' Digest a="\xe9",\tb=c\t'];

/** What most clients send, and our listener serves. */
export function plainRequest(dice: Random): string {
  const method = dice.pick(['GET', 'GET', 'GET', 'HEAD', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
  const takesContent = method !== 'GET' && method !== 'HEAD';
  const content = takesContent ? dice.text('ab\r\n\0\xff GET', dice.below(40)) : '';
  const length =
    content === '' && dice.chance(0.5)
      ? ''
      : `${dice.pick(['Content-Length', 'content-length'])}: ${content.length}\r\n`;
  const connection = dice.pick(['', '', '', 'Connection: keep-alive\r\n', 'connection: Close\r\n']);
  return `${method} /${dice.below(99)} HTTP/1.1\r\nHost: a.example\r\n${takesContent ? length : ''}${connection}Authorization:${dice.pick(CREDENTIALS)}\r\n\r\n${content}`;
}

function changed(text: string, dice: Random): string {
  const at = dice.below(text.length + 1);
  const ways = [
    () => text.slice(0, at) + dice.pick(ODD) + text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1 + dice.below(3)),
    () => text.slice(0, at) + String.fromCharCode(dice.below(256)) + text.slice(at + 1),
    () => text.slice(0, at),
  ];
  return dice.pick(ways)();
}

/** One to three requests, one after the other; some of them are changed. */
export function randomCase(dice: Random, seeds: readonly string[]): string {
  const one = () => {
    const kind = dice.below(7);
    const text = kind < 3 ? plainRequest(dice) : kind < 5 || seeds.length === 0 ? anyRequest(dice) : dice.pick(seeds);
    let result = text;
    if (kind % 2 === 0) for (let changes = dice.below(4); changes > 0; changes--) result = changed(result, dice);
    return result;
  };
  return Array.from({ length: 1 + dice.below(3) }, one).join('');
}

/** Up to four pieces. */
export function cutAtRandom(bytes: Buffer, dice: Random): readonly Buffer[] {
  const places = Array.from({ length: dice.below(4) }, () => dice.below(bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...places]
    .map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
    .filter(({ length }) => length > 0);
}
