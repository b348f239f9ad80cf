import { type Command, Option } from 'commander';
import type { StoredAlgorithm } from '../http-auth/digest-algorithms.ts';
import { digestAlgorithmsOption } from './http-users/digest-hashes.ts';
import { inFile } from './http-users/digest-in-file.ts';
import { inStore } from './http-users/digest-in-store.ts';
import { type FileOrStore, inFileOrStore, runInPlace } from './http-users/file-or-store.ts';

/** `gatehouse digest …`: users of Digest, by default with all algorithms. Apache's htdigest writes only MD5. */
export function register(program: Command): void {
  const digest = program.command('digest').description('users of Digest routes, in a file or in the store');
  place(digest.command('set <username>'), 'add a user, or change the password')
    .requiredOption('--realm <realm>', 'the value of `digest: { realm }`')
    .addOption(
      new Option('--algorithm <name...>', 'store hashes only for these algorithms; default: for all').choices(
        digestAlgorithmsOption,
      ),
    )
    .addHelpText(
      'after',
      '\nThe command asks for the password, or reads it from standard input. It takes no password from the arguments:\n  gatehouse digest set alice --file meters.htdigest --realm meters < password.txt\n',
    )
    .action((username: string, { realm, algorithm, ...options }: Named & Chosen) =>
      runInPlace(options, {
        file: (file) => inFile.set(file, { username, realm, algorithm }),
        store: (service) => inStore.set(service, { username, realm, algorithm }),
      }),
    );
  place(digest.command('list'), 'list all users, with their stored algorithms')
    .option('--realm <realm>', 'only users of this realm')
    .action((options: FileOrStore & Partial<Named>) =>
      runInPlace(options, {
        file: (file) => inFile.list(file, options.realm),
        store: (service) => inStore.list(service, options.realm),
      }),
    );
  place(digest.command('remove <username>'), 'remove a user from a realm')
    .requiredOption('--realm <realm>', 'the value of `digest: { realm }`')
    .action((username: string, options: Named) =>
      runInPlace(options, {
        file: (file) => inFile.remove(file, username, options.realm),
        store: (service) => inStore.remove(service, username, options.realm),
      }),
    );
}

interface Chosen {
  readonly algorithm?: readonly StoredAlgorithm[];
}

interface Named extends FileOrStore {
  readonly realm: string;
}

function place(command: Command, description: string): Command {
  return inFileOrStore(command, {
    description,
    file: 'the file that `digest: { users }` names; created if it does not exist',
    config: 'authorization.yaml; `digest: { users: { storage } }` of gateway.yaml must name the same store',
  });
}
