import { printableJson, printableValue } from '../../base/printable.ts';
import type { LineFault } from '../../config/files/user-lines.ts';
import { administer, type CommandReport } from '../administration/administer.ts';
import { table } from '../common/table.ts';
import type { CarriedLine, ForeignUsers, StoredUser, UserFormat } from './user-format.ts';

export interface ImportOptions {
  /** authorization.yaml: write into its store instead of standard output. */
  readonly config?: string;
  readonly replace?: true;
  readonly json?: true;
}

/** Imports the users of another server's file: prints them as a file, or writes them into the store. */
export async function importUsers<Entry extends CarriedLine>(
  format: UserFormat<Entry>,
  { file, text }: { readonly file: string; readonly text: string },
  { config, replace, json }: ImportOptions,
): Promise<void> {
  const foreign = format.read(text);
  for (const fault of foreign.left) process.stderr.write(`${remark(file, fault)}\n`);
  if (foreign.carried.length === 0) return giveUp(file);
  if (config === undefined) return void process.stdout.write(json ? asJson(foreign) : asFile(foreign));
  const store = format.store;
  return administer({ config, json }, async (service) =>
    reportOf(await store(service, foreign.carried, replace === true), foreign.left),
  );
}

function remark(file: string, { line, message, hint }: LineFault): string {
  return printableValue(`${file}:${line}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
}

function giveUp(file: string): void {
  process.stderr.write(`gatehouse: ${printableValue(file)}: no line could be imported\n`);
  process.exitCode = 1;
}

function asJson({ carried, left }: ForeignUsers): string {
  const users = carried.map(({ line, username, text }) => ({ line, username, entry: text }));
  return printableJson({ users, left });
}

/**
 * The users in the order of the lines. A comment replaces each line that was not imported, and precedes each line with a
 * remark.
 */
function asFile({ carried, left }: ForeignUsers): string {
  const lines = [
    ...left.map(({ line, message }) => ({ line, text: `# line ${line}: ${printableValue(message)}` })),
    ...carried,
  ].sort((one, other) => one.line - other.line);
  return lines.map(({ text }) => `${text}\n`).join('');
}

function reportOf(users: readonly StoredUser[], left: readonly LineFault[]): CommandReport {
  const cells = users.map(({ username, realm = '-', kinds, outcome, reason }) => [
    username,
    realm,
    kinds.join(' '),
    reason === undefined ? outcome : `${outcome}: ${reason}`,
  ]);
  return { json: { users, left }, text: table([['USER', 'REALM', 'KEPT AS', 'OUTCOME'], ...cells]) };
}
