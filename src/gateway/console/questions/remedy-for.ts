import { remedies } from '../../shadow/remedy.ts';
import { shadowReport } from '../../shadow/report.ts';

/** The YAML that would let a refused request pass, as `gatehouse shadow report` writes it. Undefined: the request was not refused. */
export async function remedyFor(record: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const { shadow, code } = record;
  if (shadow === undefined && (code === 'forwarded' || code === 'answered')) return undefined;
  const line = JSON.stringify({ ...record, shadow: shadow ?? code });
  const { groups } = await shadowReport(only(line));
  return groups.length === 0 ? undefined : remedies(groups);
}

async function* only(line: string): AsyncIterable<string> {
  yield line;
}
