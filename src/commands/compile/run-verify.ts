import type { Command } from 'commander';
import { printableJson, printableValue } from '../../base/printable.ts';
import { formatProblems, loadGatewayConfig } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { knownTestKeys } from './test-keys.ts';
import { type TokenSource, tokensOfCommand, tokensOfKeys } from './test-tokens.ts';
import { type VerifiedTest, verifyProxy } from './verify-proxy.ts';

export interface VerifyOptions {
  readonly config: string;
  readonly verify: string;
  readonly testKeys?: string;
  readonly tokenCommand?: string;
  readonly json?: true;
}

/** `compile … --verify URL`. Exit status 1: the proxy differs from a test, or the tests could not run. */
export async function runVerify(options: VerifyOptions, command: Command): Promise<void> {
  const loaded = loadGatewayConfig(options.config);
  if (!loaded.ok) {
    process.stderr.write(formatProblems(loaded.problems));
    process.exitCode = 1;
    return;
  }
  if (loaded.config.tests.length === 0) command.error('error: the file has no `tests`, so there is nothing to send');
  try {
    const tokens = tokensOf(options, loaded.config);
    print(await verifyProxy(loaded, options.verify, tokens), options);
  } catch (error) {
    process.stderr.write(`gatehouse: ${printableValue(reasonOf(error))}\n`);
    process.exitCode = 1;
  }
}

function tokensOf({ tokenCommand, testKeys: file }: VerifyOptions, config: GatewayConfig): TokenSource {
  if (tokenCommand !== undefined) return tokensOfCommand(tokenCommand, config);
  if (file !== undefined) return tokensOfKeys(knownTestKeys(file), config);
  return async () => {
    throw new Error('a test needs a token: write --test-keys FILE or --token-command COMMAND');
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message === '' && code !== undefined ? code : message;
}

function print(results: readonly VerifiedTest[], { json }: VerifyOptions): void {
  const count = (result: VerifiedTest['result']) => results.filter((each) => each.result === result).length;
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
  if (json) process.stdout.write(printableJson({ ...counts, tests: results }));
  else process.stdout.write(inWords(results, counts));
}

function inWords(
  results: readonly VerifiedTest[],
  { passed, failed, skipped }: Readonly<Record<VerifiedTest['result'], number>>,
): string {
  const lines = results.map(({ at, request, result, detail }) => `${result}: ${at}: ${request}: ${detail}`);
  return [...lines.map(printableValue), `${passed} passed, ${failed} failed, ${skipped} skipped`, ''].join('\n');
}
