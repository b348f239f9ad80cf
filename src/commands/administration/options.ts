import { type Command, InvalidArgumentError, Option } from 'commander';
import { convert } from '../../config/schema/units.ts';
import { authorizationOption } from '../common/config-option.ts';

/** A command below `gatehouse client`, `user`, `token` or `key`. All have options for the file and for JSON. */
export function subcommand(parent: Command, signature: string, description: string): Command {
  return parent
    .command(signature)
    .description(description)
    .addOption(authorizationOption())
    .option('--json', 'print JSON');
}

/** An option that may be given more than once. */
export function repeatable(flags: string, description: string): Option {
  const collect = (value: string, before: readonly string[]) => [...before, value];
  return new Option(flags, description).default([], 'none').argParser(collect);
}

/** Milliseconds. */
function duration(text: string): number {
  const value = convert('duration', text);
  if (typeof value !== 'number') throw new InvalidArgumentError('Write a whole number and a unit: 30m, 24h, 7d.');
  return value;
}

/** How long a secret stays valid after its replacement, in milliseconds. */
export function overlapOption(description: string): Option {
  const option = new Option('--overlap <duration>', description);
  return option.default(24 * 60 * 60 * 1000, '24h').argParser(duration);
}

/** A JSON object. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> {
  const value = parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new InvalidArgumentError('Write a JSON object: {"tenant": "acme"}.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
