import type { Problem } from '../../config/problem.ts';
import { checkFile } from '../check.ts';
import { bad, doubtful, good, type Probe, type Seen } from './finding.ts';
import type { Subject } from './subject.ts';

/** As `gatehouse check` says it, the tests of the file included. */
export function fileIsValid({ file }: Subject): readonly Probe[] {
  const look = async () => {
    const problems = await checkFile(file);
    const valid = problems.some(({ severity }) => severity === 'error') ? [] : [good('valid')];
    return [...valid, ...problems.map(seen)];
  };
  return [{ about: file, look }];
}

function seen({ severity, file, line, column, message, hint }: Problem): Seen {
  const verdict = severity === 'error' ? bad : doubtful;
  const about = line === 0 ? file : `${file}:${line}:${column}`;
  return { ...verdict(message, hint ?? `\`gatehouse check ${file}\` shows the line`), about };
}
