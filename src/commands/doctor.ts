import type { Command } from 'commander';
import { printableJson } from '../base/printable.ts';
import { eitherOption } from './common/config-option.ts';
import { diagnose } from './doctor/diagnose.ts';
import { findingsInWords } from './doctor/finding.ts';

/** `gatehouse doctor --config FILE`: finds what keeps this file from working. It changes nothing. */
export function register(program: Command): void {
  program
    .command('doctor')
    .description('find problems of a setup: addresses, certificates, servers, stores, clocks, limits')
    .addOption(eitherOption())
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe command changes nothing, and no check waits longer than 3 seconds.\n✓ means fine, ! means that you should check the line, and ✗ means broken. Each line with ! or ✗ says what to do.\nThe exit status is 1 if there is a ✗. Run the command where the program runs, as the user that runs the program.\n',
    )
    .action(run);
}

async function run({ config: file, json }: { config: string; json?: true }): Promise<void> {
  const diagnosis = await diagnose(file);
  const report = json ? printableJson(diagnosis) : findingsInWords(diagnosis.findings);
  // A pending request, such as a DNS lookup, would keep the process alive. So it exits here.
  process.stdout.write(report, () => process.exit(diagnosis.ok ? 0 : 1));
}
