import { aligned } from '../report.ts';
import type { GatewayReport } from './bench.ts';
import type { Surroundings } from './surroundings.ts';
import { barTable, circumstances, partTable } from './table.ts';

/** For a terminal: a table for each part, and a table of the limits. */
export function gatewayText({ parts, files, surroundings }: GatewayReport): string {
  const bars = parts.flatMap((part) => part.bars);
  const hashes = Object.entries(files).map(([name, hash]) => `${hash}  ${name}`);
  return [
    ...parts.map((part) => `${part.name}: ${part.about}\n${aligned(partTable(part))}\n${circumstances(part)}`),
    ...(bars.length === 0 ? [] : [`bars: median of the rounds (least–most)\n${aligned(barTable(bars))}`]),
    `SHA-256 of the contenders\n${hashes.join('\n')}`,
    surroundingsInWords(surroundings),
  ].join('\n\n');
}

export function surroundingsInWords({ processor, cores, versions }: Surroundings): string {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${processor}, ${cores} cores; ${names.join(', ')}`;
}
