import { fstatSync, writeSync } from 'node:fs';

type Write = (text: string) => void;

/**
 * Writes to an open descriptor. A failure, such as a full disk, must not end the program. Lost text is reported to `complain`
 * once, until a write succeeds again. After a cut line, the next text begins on a new line.
 */
export function lossyOutput(descriptor: number, complain: Write, put = writeSync): Write {
  let isCut = false;
  let fails = false;

  const attempt = (bytes: Buffer) => {
    let at = 0;
    try {
      while (at < bytes.length) at += put(descriptor, bytes, at);
      fails = false;
    } catch (error) {
      if (!fails) complain(`gatehouse: log lines are lost: ${(error as Error).message}\n`);
      fails = true;
    }
    if (at > 0) isCut = bytes[at - 1] !== 0x0a;
  };
  return (text) => attempt(Buffer.from(isCut ? `\n${text}` : text));
}

/** Standard output of this process: a file, a pipe or a terminal. */
export function openStandardOutput(): Write {
  if (isFile(1)) return lossyOutput(1, tell);
  // The reader of the output may be gone. The program must keep running without its log.
  process.stdout.on('error', () => {});
  return (text) => void process.stdout.write(text);
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

/** Standard error may be a file on the same disk. */
function tell(text: string): void {
  try {
    writeSync(2, text);
  } catch {}
}
