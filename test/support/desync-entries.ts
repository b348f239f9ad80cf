import { parse } from 'yaml';
import { corpus } from './corpora.ts';

/** An entry of the http-desync-guardian corpus. */
export interface DesyncEntry {
  readonly id: string;
  readonly method: string;
  readonly uri: string;
  readonly version: string;
  readonly headers: readonly { readonly name: string; readonly value: string | number }[] | null;
  readonly expected: { readonly tier: string };
}

const files = [
  'acceptable',
  'ambiguous',
  'bad-header-characters',
  'edge-cases',
  'more-compliant-tests',
  'real-life-test-cases',
  'rfc-compliant',
  'severe',
  'single-case',
  'uri-specific-test-cases',
];

export function allEntries(): DesyncEntry[] {
  return files.flatMap(entriesOf);
}

/** Every entry that must be treated as an irrecoverable error, whichever file contains it. */
export function severeEntries(): DesyncEntry[] {
  return allEntries().filter(({ expected }) => expected.tier === 'Severe');
}

function entriesOf(file: string): DesyncEntry[] {
  const entries = parse(corpus(`http-desync-guardian/${file}.yaml`)) as (Omit<DesyncEntry, 'id'> & { name: string })[];
  return entries.map((entry) => ({ ...entry, id: `${file}: ${entry.name}` }));
}

const HOST = 'Host: api.example.com\r\n';

/**
 * The entries have no Host, and a missing Host alone causes a refusal. So each entry is sent as given, and again with a
 * valid Host, once before and once after its header lines. Only then does the fault itself decide.
 */
export function serialisations({ method, uri, version, headers }: DesyncEntry): readonly string[] {
  const fields = (headers ?? []).map(({ name, value }) => `${name}: ${value}\r\n`).join('');
  const line = `${method} ${uri} ${version}\r\n`;
  const given = [`${line}${fields}\r\n`];
  return /^host$/im.test((headers ?? []).map(({ name }) => name).join('\n'))
    ? given
    : [...given, `${line}${HOST}${fields}\r\n`, `${line}${fields}${HOST}\r\n`];
}
