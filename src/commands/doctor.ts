import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { printableJson } from '../base/printable.ts';
import { eitherOption } from './common/config-option.ts';
import { checksFor } from './doctor/checks.ts';
import { examine } from './doctor/examine.ts';
import { findingsInWords } from './doctor/finding.ts';
import { subjectOf } from './doctor/subject.ts';

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
  const findings = await examine(subjectOf(file), { clock: systemClock, node: process.versions.node }, checksFor);
  const failed = findings.some(({ verdict }) => verdict === 'bad');
  const report = json ? printableJson({ file, ok: !failed, findings }) : findingsInWords(findings);
  // A pending request, such as a DNS lookup, would keep the process alive. So it exits here.
  process.stdout.write(report, () => process.exit(failed ? 1 : 0));
}
