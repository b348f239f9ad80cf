import { corpus } from '../../support/corpora.ts';
import type { AnswerCase } from './answer-case.ts';

const FILES = [
  'connection',
  'content-length',
  'finish',
  'invalid',
  'lenient-version',
  'pausing',
  'pipelining',
  'sample',
  'transfer-encoding',
];

export interface NamedCase extends AnswerCase {
  readonly name: string;
}

/** Every block of llhttp's own tests of answers, for each kind of request, with the connection's end behind it and without. */
export function llhttpAnswers(): readonly NamedCase[] {
  return FILES.flatMap((file) => blocks(corpus(`llhttp/response__${file}.md`), file)).flatMap(asked);
}

interface Block {
  readonly name: string;
  readonly bytes: string;
}

/** As llhttp's own runner reads them: a line end is CRLF unless it is written out, or taken back by a backslash. */
function blocks(text: string, file: string): Block[] {
  return [...text.matchAll(/```http\n([\s\S]*?)\n```/g)].map(([, block = ''], index) => ({
    name: `${file} ${index + 1}`,
    bytes: block
      .replace(/\\\n/g, '')
      .replace(/\n/g, '\r\n')
      .replace(/\\([rntf])/g, (_, letter: string) => ({ r: '\r', n: '\n', t: '\t', f: '\f' })[letter] ?? '')
      .replace(/\\x([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  }));
}

function asked({ name, bytes }: Block): NamedCase[] {
  const kinds = [
    { method: 'GET', upgrades: false },
    { method: 'HEAD', upgrades: false },
    { method: 'GET', upgrades: true },
  ] as const;
  return kinds.flatMap((kind) => [false, true].map((ends) => ({ ...kind, name, bytes, ends })));
}
