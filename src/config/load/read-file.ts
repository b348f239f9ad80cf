import { isAbsolute } from 'node:path';
import { cutOff } from '../files/cut-off.ts';
import { readText } from '../files/read-text.ts';
import type { Problem } from '../words/problem.ts';
import { detectKind, type FileKind } from '../yaml/detect.ts';

export type ReadFile = { readonly ok: true; readonly text: string } | Unusable;
export interface Unusable {
  readonly ok: false;
  readonly problems: readonly Problem[];
}

/** The text of a configuration file, if the file exists and is complete. */
export function readFile(file: string, rules: { readonly waits: boolean }): ReadFile {
  const read = readText(file, rules);
  if (!read.ok) {
    const { line, column, message, hint = hintOf(file) } = read;
    return { ok: false, problems: [{ severity: 'error', file, line, column, message, hint }] };
  }
  const cut = cutOff(read.text);
  return cut === undefined ? read : { ok: false, problems: [{ severity: 'error', file, ...cut }] };
}

function hintOf(file: string): string {
  return isAbsolute(file) ? 'name an existing file' : relativeHint(file);
}

/** The filenames that a command tries by default. */
const DEFAULTS: ReadonlySet<string> = new Set(['gateway.yaml', 'authorization.yaml']);

function relativeHint(file: string): string {
  const hint = `paths are relative to ${process.cwd()}`;
  return DEFAULTS.has(file) ? `${hint}; \`--config FILE\` names another file` : hint;
}

/** Detects the file of the other program. Its keys would all be reported as unknown. */
export function mistaken(text: string, file: string, wanted: FileKind): Unusable | undefined {
  const kind = detectKind(text);
  if (kind === undefined || kind === wanted) return undefined;
  const message = `this is the file of the ${kind === 'gateway' ? 'gateway' : 'authorization service'}`;
  const hint = `run it with \`gatehouse ${kind} --config ${file}\``;
  return { ok: false, problems: [{ severity: 'error', file, line: 1, column: 1, message, hint }] };
}
