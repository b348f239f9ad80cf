import type { Command } from 'commander';
import { printableJson } from '../base/printable.ts';
import { formatProblems } from '../config/load/load.ts';
import { GatewaySchema } from '../config/schema/gateway.ts';
import type { Schema } from '../config/schema/input-schema.ts';
import { type EffectiveValue, effectiveValues, type ValueSource } from '../config/show/effective.ts';
import { gatewayOption, noSecretsOption } from './common/config-option.ts';
import { loadGateway, type SecretsOption } from './common/no-secrets.ts';
import { ofAuthorization } from './common/of-authorization.ts';
import { table } from './common/table.ts';

/** `gatehouse config show --config FILE`: the effective values, and the origin of each value. */
export function register(program: Command): void {
  program
    .command('config')
    .description('show the configuration')
    .command('show')
    .description('the effective configuration with the origin of each value, secrets redacted')
    .addOption(gatewayOption())
    .addOption(noSecretsOption())
    .option('--json', 'print JSON')
    .action(show);
}

interface Options extends SecretsOption {
  readonly config: string;
  readonly json?: true;
}

function show({ config: file, json, secrets }: Options): void {
  const other = ofAuthorization(
    file,
    '`gatehouse check` judges the file of the service, and docs/configuration.md lists its defaults',
  );
  const loaded = loadGateway(file, { secrets });
  if (other !== undefined) giveUp(other);
  else if (!loaded.ok) giveUp(formatProblems(loaded.problems));
  else print(effectiveValues(GatewaySchema as unknown as Schema, loaded.tree), json);
}

function print(values: readonly EffectiveValue[], json: true | undefined): void {
  process.stdout.write(json ? printableJson(values) : table(values.map(cells)));
}

function giveUp(message: string): void {
  process.stderr.write(message);
  process.exitCode = 1;
}

function cells({ key, value, origin }: EffectiveValue): readonly string[] {
  return [key, typeof value === 'string' ? value : JSON.stringify(value), originInWords(origin)];
}

function originInWords(origin: ValueSource): string {
  if (origin.kind === 'default') return 'default';
  if (origin.kind === 'environment') return `environment ${origin.name}`;
  const { file, line, variable } = origin;
  return variable === undefined ? `${file}:${line}` : `${file}:${line} from ${variable}`;
}
