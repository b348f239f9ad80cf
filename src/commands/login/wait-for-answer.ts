import { durationInWords } from '../../base/time-in-words.ts';
import { LoginFailure } from './failure.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

export interface WaitOptions {
  /** Milliseconds. */
  readonly timeout: number;
  /** The remedy in the message after this time. */
  readonly remedy: string;
}

/** Waits until the deadline or a signal, which end the login with a message. A terminal shows the time that is left. */
export async function waitForAnswer<Answer>(
  answer: Promise<Answer>,
  { timeout, remedy }: WaitOptions,
): Promise<Answer> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const interrupt = () => reject(new LoginFailure('the login was interrupted'));
  const late = () => reject(new LoginFailure(`no answer within ${durationInWords(timeout / 1000)}: ${remedy}`));
  const timer = setTimeout(late, timeout);
  for (const signal of signals) process.on(signal, interrupt);
  const stopCounting = countDown(performance.now() + timeout);
  try {
    return await Promise.race([answer, ended]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, interrupt);
    stopCounting();
  }
}

const SECOND = 1000;
/** Erases the line (ECMA-48 EL). */
const ERASE = '\r\x1b[K';

/** Prints for the person at the terminal, in place of the time that is left. */
export function tell(text: string): void {
  const { stderr } = process;
  stderr.write(`${stderr.isTTY ? ERASE : ''}${text}\n`);
}

function countDown(end: number): () => void {
  const { stderr } = process;
  if (!stderr.isTTY) return () => {};
  const show = () => {
    const left = durationInWords(Math.max(0, end - performance.now()) / SECOND);
    stderr.write(`${ERASE}Waiting for the browser: ${left} left `);
  };
  const timer = setInterval(show, SECOND);
  return () => {
    clearInterval(timer);
    stderr.write(ERASE);
  };
}
