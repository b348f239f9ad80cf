import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';

/** One row a command: its file registers its name, options and action. */
const commands: readonly (() => Promise<{ register(program: Command): void }>)[] = [
  () => import('./commands/demo.ts'),
  () => import('./commands/gateway.ts'),
  () => import('./commands/authorization.ts'),
  () => import('./commands/check.ts'),
  () => import('./commands/explain.ts'),
  () => import('./commands/routes.ts'),
  () => import('./commands/config.ts'),
  () => import('./commands/diff.ts'),
  () => import('./commands/health.ts'),
  () => import('./commands/why.ts'),
  () => import('./commands/shadow.ts'),
  () => import('./commands/protect.ts'),
  () => import('./commands/import.ts'),
  () => import('./commands/client.ts'),
  () => import('./commands/user.ts'),
  () => import('./commands/token.ts'),
  () => import('./commands/key.ts'),
  () => import('./commands/digest.ts'),
  () => import('./commands/hash-password.ts'),
];

/** Exit status: 0 done; 1 could not start, or invalid; 2 usage; 3 stopped uncleanly. */
export async function main(args: readonly string[]): Promise<void> {
  const program = new Command('gatehouse')
    .description('OAuth 2.0 in front of an API that knows nothing of it, and the service that gives out the tokens')
    .version(version())
    .exitOverride()
    .showHelpAfterError('(--help tells more)');
  for (const load of commands) (await load()).register(program);
  for (const command of program.commands) command.exitOverride().showHelpAfterError('(--help tells more)');
  try {
    await program.parseAsync(args as string[], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
