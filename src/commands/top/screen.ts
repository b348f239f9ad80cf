import { writeSync } from 'node:fs';
import { stdin, stdout } from 'node:process';
import type { Size } from './frame.ts';

/** The alternate screen, without a cursor, and without a break of lines that are too wide (xterm control sequences). */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
/** A synchronized update, which a terminal shows only when it is whole. A terminal that does not know it ignores it. */
const BEGIN = '\u001b[?2026h\u001b[H';
const END = '\u001b[?2026l';
/** Erases the rest of the line. */
const REST = '\u001b[K';

export interface Screen {
  size(): Size;
  draw(lines: readonly string[]): void;
  /** Gives the terminal back. More calls change nothing. */
  leave(): void;
}

export interface ScreenEvents {
  readonly onInput: (text: string) => void;
  readonly onResize: () => void;
}

/** True if standard output is a terminal that can move its cursor. */
export function isFullScreen(): boolean {
  return stdout.isTTY === true && process.env.TERM !== 'dumb';
}

/** Takes the terminal. The terminal is given back even if the program fails. */
export function openScreen({ onInput, onResize }: ScreenEvents): Screen {
  let isOpen = true;
  const leave = () => {
    if (!isOpen) return;
    isOpen = false;
    if (stdin.isTTY) stdin.setRawMode(false);
    writeWhole(LEAVE);
  };
  process.once('exit', leave);
  stdout.write(ENTER);
  stdout.on('resize', onResize);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    // A question for a password has paused it.
    stdin.setEncoding('utf8').on('data', onInput).resume();
  }
  return {
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw: (lines) => void (isOpen && stdout.write(BEGIN + lines.map((line) => line + REST).join('\r\n') + END)),
    leave,
  };
}

/** While the process exits, only a synchronous write is certain. The terminal may be gone. */
function writeWhole(text: string): void {
  try {
    writeSync(1, text);
  } catch {}
}
