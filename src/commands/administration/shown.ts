import { table } from '../common/table.ts';

/** `at`: NumericDate. */
export function isoTime(at: number): string {
  return new Date(at * 1000).toISOString();
}

/** One line for each member of an object. */
export function memberTable(json: object): string {
  return table(Object.entries(json).map(([name, value]) => [name, shown(value)]));
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
