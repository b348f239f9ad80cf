import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { bad, good, type Probe, type Seen } from './finding.ts';
import { judgeFolder } from './folder.ts';
import type { AuthorizationSubject } from './subject.ts';

/** The service does not start without the file that it is to write. */
export function auditFile({ config, directory }: AuthorizationSubject): readonly Probe[] {
  if (config.audit === undefined) return [];
  const file = resolve(directory, config.audit.file);
  return [{ about: `audit ${config.audit.file}`, look: () => lookAt(file) }];
}

function lookAt(file: string): Seen {
  if (!existsSync(file)) return judgeFolder(dirname(file));
  try {
    accessSync(file, constants.W_OK);
    return good('can be written');
  } catch {
    return bad('this user cannot write to it', `chown ${file} to the user that runs the service`);
  }
}
