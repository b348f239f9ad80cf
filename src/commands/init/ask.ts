import { createInterface } from 'node:readline/promises';
import { printableValue } from '../../base/printable.ts';
import { type Answers, answersFrom, type Given, type InitQuestion, questions } from './questions.ts';

export type InitAnswers =
  | { readonly kind: 'answered'; readonly answers: Answers }
  /** The input ended before the last answer. */
  | { readonly kind: 'ended' };

/** Checks an answer whose form is right. A returned sentence names its fault: ask again. */
export type LookInto = (question: InitQuestion, text: string) => Promise<string | undefined>;

/** Asks at the terminal for everything that no flag gives. Repeats each question until its answer is valid. */
export async function askQuestions(given: Given, lookInto: LookInto): Promise<InitAnswers> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, historySize: 0 });
  const gone = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  const answers: { -readonly [Name in keyof Given]: Given[Name] } = { ...given };
  try {
    for (const question of questions) {
      if (answers[question.name] !== undefined || question.isAsked?.(answers) === false) continue;
      const answer = await askOne(question, (text) => Promise.race([lines.question(text), gone]), lookInto);
      if (answer === undefined) return { kind: 'ended' };
      answers[question.name] = answer;
    }
    return { kind: 'answered', answers: answersFrom(answers) };
  } finally {
    lines.close();
  }
}

type Read = (text: string) => Promise<string | undefined>;

async function askOne(question: InitQuestion, read: Read, lookInto: LookInto): Promise<string | undefined> {
  for (;;) {
    const line = await read(`${question.text}: `);
    if (line === undefined) return undefined;
    const answer = line.trim();
    const fault = answer === '' ? emptyFault(question) : (question.fault(answer) ?? (await lookInto(question, answer)));
    if (fault === undefined) return answer;
    process.stderr.write(`  ${printableValue(fault)}\n`);
  }
}

function emptyFault({ mayBeEmpty }: InitQuestion): string | undefined {
  return mayBeEmpty ? undefined : 'an answer is required';
}
