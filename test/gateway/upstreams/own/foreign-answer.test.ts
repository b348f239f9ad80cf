import t from 'tap';
import { AnswerReader } from '../../../../src/gateway/upstreams/own/answer-reader.ts';
import { ForeignAnswer } from '../../../../src/gateway/upstreams/own/invalid-answer.ts';
import { type LegacyAnswer, legacyAnswers } from '../../../flows/engines/legacy-answers.ts';

/** The fault that its reader reports; undefined: none. */
function wrongWith({ method, ends }: LegacyAnswer, pieces: readonly string[]): Error | undefined {
  const sink = { onHead: () => true, onData: () => true, onEnd: () => {}, onSwitch: () => {} };
  const reader = new AnswerReader(sink);
  reader.begin({ method: method ?? 'GET', upgrades: false });
  try {
    for (const piece of pieces) reader.read(Buffer.from(piece, 'latin1'));
    if (ends) reader.finish();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

for (const answer of legacyAnswers)
  t.test(`whether undici may read it does not depend on packets: ${answer.name}`, async (t) => {
    const isForeign = answer.own === 'undici';
    for (const pieces of [[answer.bytes], [...answer.bytes], answer.bytes.split(/(?<=\n)/)]) {
      const wrong = wrongWith(answer, pieces);
      t.equal(wrong instanceof ForeignAnswer, isForeign, `${wrong?.message}`);
      if (answer.own === '502') t.ok(wrong instanceof Error);
    }
  });
