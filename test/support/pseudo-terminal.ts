import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { programEnvironment } from './environment.ts';
import { launcher } from './launcher.ts';
import { until } from './until.ts';

const program = fileURLToPath(new URL('pseudo-terminal.py', import.meta.url));

/** Why a test with a pseudo-terminal cannot run. False: it can. */
export const noPseudoTerminal: string | false =
  spawnSync('python3', ['-c', 'import pty, termios']).status === 0 ? false : 'python3 is not installed';

/** A command in a terminal. */
export interface TerminalCommand {
  /** Everything that it wrote, with the control sequences. */
  written(): string;
  /** The lines of the last whole frame, without colors. */
  lines(): readonly string[];
  /** Whether the screen shows the text, or fits the condition. */
  shows(wanted: RegExp | ((lines: readonly string[]) => boolean)): Promise<boolean>;
  send(text: string): void;
  resize(rows: number, columns: number): void;
  signal(number: number): void;
  /** Its status, and whether the terminal has the same settings as before. */
  ended(): Promise<{ readonly status: number; readonly restored: boolean }>;
}

/** `gatehouse …` in a terminal of this size, started by the launcher. */
export function inTerminal(
  t: Test,
  args: readonly string[],
  { rows = 24, columns = 100, env = {}, flags = [] as readonly string[] } = {},
): TerminalCommand {
  const started = [String(rows), String(columns), process.execPath, ...flags, launcher, ...args];
  const child = spawn('python3', [program, ...started], {
    env: programEnvironment({ TERM: 'xterm-256color', ...env }),
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.on('data', (text) => (output.stderr += String(text)));
  child.stdin.on('error', () => {});
  const closed = once(child, 'close');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await closed;
  });
  const order = (value: object) => void child.stdin.write(`${JSON.stringify(value)}\n`);
  const lines = () => lastFrame(output.stdout);
  return {
    written: () => output.stdout,
    lines,
    shows: (wanted) => until(() => (wanted instanceof RegExp ? wanted.test(lines().join('\n')) : wanted(lines()))),
    send: (text) => order({ send: text }),
    resize: (...size) => order({ resize: size }),
    signal: (number) => order({ signal: number }),
    async ended() {
      await closed;
      return JSON.parse(output.stderr);
    },
  };
}

/** The text of a synchronized update, which is one frame. The terminal adds a return to each line feed. */
function lastFrame(text: string): readonly string[] {
  const end = text.lastIndexOf('\u001b[?2026l');
  const begin = text.lastIndexOf('\u001b[H', end);
  if (end === -1) return [];
  const frame = text.slice(begin + '\u001b[H'.length, end);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colors of the terminal
  return frame.replace(/\u001b\[[0-9;]*[mK]/g, '').split(/\r+\n/);
}
