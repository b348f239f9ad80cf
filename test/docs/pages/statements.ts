import { spawnSync } from 'node:child_process';

/**
 * What the reader enters. Lines that belong together are one statement. Comments and empty lines are not statements.
 */
export function statementsOf(script: string): readonly string[] {
  const statements: string[] = [];
  let gathered = '';
  for (const line of script.split('\n')) {
    gathered += gathered === '' ? line : `\n${line}`;
    if (line.endsWith('\\') || !isWhole(gathered)) continue;
    if (!/^\s*(#|$)/.test(gathered)) statements.push(gathered);
    gathered = '';
  }
  if (gathered.trim() !== '') throw new Error(`a statement that does not end: ${gathered}`);
  return statements;
}

function isWhole(text: string): boolean {
  return spawnSync('bash', ['-n'], { input: `${text}\n` }).status === 0;
}

/** What a comment after a statement promises: `# exit 1`, or the HTTP status, `# 401 …`. */
export function promised(statement: string): { readonly exit: number; readonly http?: string } {
  const comment = / # ([^\n]*)$/.exec(statement)?.[1] ?? '';
  const exit = Number(/\bexit (\d+)/.exec(comment)?.[1] ?? 0);
  const http = /^[1-5]\d\d\b/.exec(comment)?.[0];
  return { exit, ...(http !== undefined && { http }) };
}

/** `…` matches anything in its line; alone, it matches any lines. */
export function pattern(expected: string): RegExp {
  const lines = expected.trimEnd().split('\n');
  const source = lines.map((line) =>
    line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${line.trimEnd().split('…').map(RegExp.escape).join('[^\\n]*')}\\n`,
  );
  return new RegExp(`^${source.join('')}$`);
}
