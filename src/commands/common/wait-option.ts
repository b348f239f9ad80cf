import { InvalidArgumentError, Option } from 'commander';
import { unitTable } from '../../config/schema/units.ts';

/** `--wait [duration]` in milliseconds; absent if not given. */
export function waitOption(description: string): Option {
  return new Option('--wait [duration]', description).preset('30s').argParser(milliseconds);
}

function milliseconds(text: string): number {
  const { convert, form } = unitTable.duration;
  const value = convert(text);
  if (typeof value !== 'number') throw new InvalidArgumentError(`W${form.slice(1)}.`);
  return value;
}
