import { createReadStream } from 'node:fs';
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { printableJson, printableValue } from '../base/printable.ts';
import { shadowReport, shadowReportAsJson } from '../gateway/shadow/report.ts';
import { shadowReportInWords } from './shadow/in-words.ts';

/** `gatehouse shadow report FILE`: reads a decision log, and shows which callers enforce mode would refuse. */
export function register(program: Command): void {
  program
    .command('shadow')
    .description('reports of shadow mode')
    .command('report')
    .description('show which callers would be rejected, by client, route and reason, with the YAML that lets them pass')
    .argument('<file>', 'the JSON log of a gateway with routes in shadow mode; - is standard input')
    .option('--json', 'print the groups as JSON')
    .action(run);
}

async function run(file: string, { json }: { json?: true }): Promise<void> {
  const input = file === '-' ? stdin : createReadStream(file);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const unreadable = new Promise<Error>((resolve) => input.once('error', resolve));
  const outcome = await Promise.race([shadowReport(lines), unreadable]);
  if (outcome instanceof Error) {
    process.stderr.write(
      `gatehouse: ${printableValue(file)} cannot be read (${(outcome as NodeJS.ErrnoException).code})\n`,
    );
    process.exitCode = 1;
    return;
  }
  stdout.write(json ? printableJson(shadowReportAsJson(outcome)) : shadowReportInWords(outcome));
}
