import type { Command } from 'commander';
import type { Service } from '../authorization/service/service.ts';
import { printableJson } from '../base/printable.ts';
import { administer, Refusal, type Report } from './administration/administer.ts';
import { inFile } from './http-users/digest-in-file.ts';
import { inStore } from './http-users/digest-in-store.ts';

/** `gatehouse digest …`: users of Digest, each under every algorithm, which Apache's htdigest cannot write. */
export function register(program: Command): void {
  const digest = program.command('digest').description('users of Digest routes, in a file or in the store');
  place(digest.command('set <username>'), 'add a user, or change the password')
    .requiredOption('--realm <realm>', 'what `digest: { realm }` says')
    .addHelpText(
      'after',
      '\nThe password is asked for, or read from standard input; never from the arguments:\n  gatehouse digest set alice --file meters.htdigest --realm meters < password.txt\n',
    )
    .action((username: string, options: Named) =>
      run(options, {
        file: (file) => inFile.set(file, username, options.realm),
        store: (service) => inStore.set(service, username, options.realm),
      }),
    );
  place(digest.command('list'), 'every user, with the algorithms that are kept')
    .option('--realm <realm>', 'only of this one')
    .action((options: Place & Partial<Named>) =>
      run(options, {
        file: (file) => inFile.list(file, options.realm),
        store: (service) => inStore.list(service, options.realm),
      }),
    );
  place(digest.command('remove <username>'), 'remove a user from a realm')
    .requiredOption('--realm <realm>', 'what `digest: { realm }` says')
    .action((username: string, options: Named) =>
      run(options, {
        file: (file) => inFile.remove(file, username, options.realm),
        store: (service) => inStore.remove(service, username, options.realm),
      }),
    );
}

interface Place {
  /** As htdigest writes it. */
  readonly file?: string;
  /** authorization.yaml. */
  readonly config?: string;
  readonly json?: true;
}

interface Named extends Place {
  readonly realm: string;
}

function place(command: Command, description: string): Command {
  return command
    .description(description)
    .option('--file <file>', 'what `digest: { users }` names; made where it is not there')
    .option('-c, --config <file>', 'authorization.yaml, whose store `digest: { users: { storage } }` names')
    .option('--json', 'print JSON')
    .hook('preAction', onePlace);
}

/** A usage error, as where commander finds one itself. */
function onePlace(_: Command, command: Command): void {
  const { file, config } = command.opts<Place>();
  if ((file === undefined) === (config === undefined)) command.error('error: give one of --file and --config');
}

interface Deeds {
  readonly file: (file: string) => Promise<Report>;
  readonly store: (service: Service) => Promise<Report>;
}

async function run({ file, config, json }: Place, deeds: Deeds): Promise<void> {
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
