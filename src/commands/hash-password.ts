import type { Command } from 'commander';
import { newPasswordFault, passwordFaults } from '../base/password-text.ts';
import { buildPasswords } from '../base/passwords.ts';
import { readSecret } from './common/read-secret.ts';

/** `gatehouse hash-password`: makes the value of `password_argon2` in authorization.yaml. */
export function register(program: Command): void {
  program
    .command('hash-password')
    .description('print the Argon2id hash of a password, for `users` in authorization.yaml')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nThe command asks for the password, or reads it from standard input. It takes no password from the arguments:\n  gatehouse hash-password < password.txt\n',
    )
    .action(run);
}

async function run({ json }: { json?: true }): Promise<void> {
  const secret = await readSecret('Password');
  if (secret.kind === 'unreadable') return giveUp(secret.message);
  const fault = newPasswordFault(secret.text);
  if (fault !== undefined) return giveUp(passwordFaults[fault]);
  const hashed = await buildPasswords().hash(secret.text);
  if (hashed.kind !== 'hashed') return giveUp(`the password cannot be hashed: ${hashed.kind}`);
  process.stdout.write(json ? `${JSON.stringify({ password_argon2: hashed.phc }, null, 2)}\n` : `${hashed.phc}\n`);
}

function giveUp(message: string): void {
  process.stderr.write(`gatehouse: ${message}\n`);
  process.exitCode = 1;
}
