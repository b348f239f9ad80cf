import { InvalidArgumentError, Option } from 'commander';
import { unitTable } from '../../config/schema/units.ts';

/** `--wait [duration]` in milliseconds; absent if not given. */
export function waitOption(description: string): Option {
  return new Option('--wait [duration]', description).preset('30s').argParser(milliseconds);
}

/** The longest time that a timer can hold. */
const LONGEST = 2 ** 31 - 1;

/** `--timeout <duration>` in milliseconds, for a timer. */
export function timeoutOption(description: string): Option {
  return new Option('--timeout <duration>', description).argParser((text: string) => {
    const value = milliseconds(text);
    if (value < 1 || value > LONGEST) throw new InvalidArgumentError('Write a time between 1ms and 24d.');
    return value;
  });
}

function milliseconds(text: string): number {
  const { convert, form } = unitTable.duration;
  const value = convert(text);
  if (typeof value !== 'number') throw new InvalidArgumentError(`W${form.slice(1)}.`);
  return value;
}
