import { packageFile } from '../package-file.ts';
import { bad, good, type Probe, type Seen } from './finding.ts';
import type { Around, Subject } from './subject.ts';

/** The launcher finds another Node.js where it can; who starts src/cli.ts or dist/cli.js by itself has what there is. */
export function nodeVersion(_: Subject, { node }: Pick<Around, 'node'>): readonly Probe[] {
  return [{ about: 'Node.js', look: () => judgeNode(node, packageFile().engines.node) }];
}

/** `wanted`: `>=MAJOR.MINOR`. */
export function judgeNode(version: string, wanted: string): Seen {
  const [major = 0, minor = 0] = numbers(version);
  const [least = 0, leastMinor = 0] = numbers(wanted);
  const isEnough = major > least || (major === least && minor >= leastMinor);
  if (isEnough) return good(version);
  return bad(`${version} is too old`, `install Node.js ${numbers(wanted).join('.')} or newer`);
}

function numbers(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}
