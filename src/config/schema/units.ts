import type { Address, Unit } from '../words/schema.ts';

const milliseconds: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const bytes: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

interface UnitEntry {
  /** The converted value; undefined if the text does not have this unit. */
  readonly convert: (text: string) => number | Address | undefined;
  /** The expected form, for messages. */
  readonly form: string;
  readonly noun: string;
}

export const unitTable: Record<Unit, UnitEntry> = {
  duration: {
    convert: (text) => multiply(text, milliseconds),
    noun: 'a duration',
    form: 'write a whole number and a unit: `250ms`, `30s`, `5m`, `1h`, `7d`',
  },
  size: {
    convert: (text) => multiply(text, bytes),
    noun: 'a size',
    form: 'write a whole number and a unit: `512B`, `64KiB`, `1MiB`, `5GiB`',
  },
  address: { convert: toAddress, noun: 'an address', form: 'write host and port: `127.0.0.1:8080`, `[::1]:8080`' },
};

/** Converts to milliseconds, bytes or an address. `none` stays unchanged. */
export function convert(unit: Unit, text: string): number | Address | 'none' | undefined {
  return text === 'none' ? text : unitTable[unit].convert(text);
}

function multiply(text: string, factors: Record<string, number>): number | undefined {
  const [, digits, unit] = /^([0-9]+)([A-Za-z]+)$/.exec(text) ?? [];
  const factor = unit !== undefined && Object.hasOwn(factors, unit) ? factors[unit] : undefined;
  const value = Number(digits) * (factor ?? Number.NaN);
  return Number.isSafeInteger(value) ? value : undefined;
}

function toAddress(text: string): Address | undefined {
  const [, bracketed, name, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([^:[\]/\s]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}
