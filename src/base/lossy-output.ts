import { fstatSync, writeSync } from 'node:fs';

type Write = (text: string) => void;

/**
 * Writes to an open descriptor. A failure, as on a full disk, must not end the program. Lost text is reported to `complain`
 * once, until a write succeeds again. A cut line has no other text.
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

/** Standard output of this process, whatever it is. */
export function openStandardOutput(): Write {
  if (isFile(1)) return lossyOutput(1, tell);
  // The reader of the output may have left. The program has more to do than to log.
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

/** It may be a file of the same disk. */
function tell(text: string): void {
  try {
    writeSync(2, text);
  } catch {}
}
