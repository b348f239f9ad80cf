import { InvalidArgumentError } from 'commander';

/** Parses the port of an option. */
export function portNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value < 1 || value > 65_535)
    throw new InvalidArgumentError('A port is a number from 1 to 65535.');
  return value;
}
