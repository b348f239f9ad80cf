import { corpus } from '../../support/corpora.ts';
import { type LlhttpBlock, llhttpBlocks } from '../../support/llhttp-blocks.ts';
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

/**
 * Every block of llhttp's own response tests, for each kind of request, with and without the end of the connection
 * after it.
 */
export function llhttpAnswers(): readonly NamedCase[] {
  return FILES.flatMap((file) => llhttpBlocks(corpus(`llhttp/response__${file}.md`), file)).flatMap(asked);
}

function asked({ name, bytes }: LlhttpBlock): NamedCase[] {
  const kinds = [
    { method: 'GET', upgrades: false },
    { method: 'HEAD', upgrades: false },
    { method: 'GET', upgrades: true },
  ] as const;
  return kinds.flatMap((kind) => [false, true].map((ends) => ({ ...kind, name, bytes, ends })));
}
