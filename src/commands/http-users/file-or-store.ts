import type { Command } from 'commander';
import type { Service } from '../../authorization/service/service.ts';
import { printableJson } from '../../base/printable.ts';
import { administer, type CommandReport, Refusal } from '../administration/administer.ts';

/** Options of a command whose users are in a file or in the store of the authorization service. */
export interface FileOrStore {
  readonly file?: string;
  /** authorization.yaml. */
  readonly config?: string;
  readonly json?: true;
}

export interface PlaceTexts {
  readonly description: string;
  /** The values of `--file` and `--config`. */
  readonly file: string;
  readonly config: string;
}

export function inFileOrStore(command: Command, { description, file, config }: PlaceTexts): Command {
  return command
    .description(description)
    .option('--file <file>', file)
    .option('-c, --config <file>', config)
    .option('--json', 'print JSON')
    .hook('preAction', onePlace);
}

/** Reports a usage error in commander's own way. */
function onePlace(_: Command, command: Command): void {
  const { file, config } = command.opts<FileOrStore>();
  if ((file === undefined) === (config === undefined)) command.error('error: give either --file or --config');
}

export interface Deeds {
  readonly file: (file: string) => Promise<CommandReport>;
  readonly store: (service: Service) => Promise<CommandReport>;
}

/** The audit log belongs to the store, so it does not record changes in a file. */
export async function runInPlace({ file, config, json }: FileOrStore, deeds: Deeds): Promise<void> {
  if (config !== undefined) return administer({ config, json }, deeds.store);
  try {
    const report = await deeds.file(file ?? '');
    process.stdout.write(json ? printableJson(report.json) : report.text);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`gatehouse: ${error.message}\n`);
    process.exitCode = 1;
  }
}
