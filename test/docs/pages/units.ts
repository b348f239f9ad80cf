import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface Setting {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** A systemd unit as systemd.syntax(7) defines it. Throws for an invalid line. */
export function settingsOf(unit: string): readonly Setting[] {
  let section = '';
  return unit.split('\n').flatMap((line) => {
    if (/^\s*([#;]|$)/.test(line)) return [];
    const head = /^\[(Unit|Service|Install)\]$/.exec(line)?.[1];
    if (head !== undefined) {
      section = head;
      return [];
    }
    const [, key, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (section === '' || key === undefined || value === undefined) throw new Error(`not a line of a unit: ${line}`);
    return [{ section, key, value }];
  });
}

const isVerifiable = spawnSync('systemd-analyze', ['--version']).status === 0;

/** The errors of systemd; '' if it is not installed. The programs of the unit need not exist here. */
export function complaints(name: string, unit: string): string {
  if (!isVerifiable) return '';
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  try {
    const file = join(directory, basename(name));
    writeFileSync(file, unit.replace(/^(Exec\w+=)\S+/gm, '$1/bin/true'));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    return stdout + stderr;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
