import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { GatewayReport } from './bench.ts';
import { parts } from './parts.ts';

/** Measured parts replace the parts of the same name in the file. The others stay, and each part comes from one run. */
export function writeResults(file: string, report: GatewayReport): void {
  const measured = new Set(report.parts.map(({ name }) => name));
  const kept = existsSync(file) ? readResults(file).parts.filter(({ name }) => !measured.has(name)) : [];
  const all = [...report.parts, ...kept];
  const inOrder = parts.flatMap(({ name }) => all.filter((each) => each.name === name));
  writeFileSync(file, resultsText({ ...report, parts: inOrder }));
}

export function readResults(file: string): GatewayReport {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** At most four digits after the decimal point, which is more than was measured. */
export function resultsText(report: GatewayReport): string {
  const rounded = (_key: string, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value);
  return `${JSON.stringify(report, rounded, 2)}\n`;
}
