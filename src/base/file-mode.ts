import { statSync } from 'node:fs';

/** The fault of a file's permissions. `refused`: others can open it; `warned`: its group can write to it. */
export interface Openness {
  readonly verdict: 'refused' | 'warned';
  readonly message: string;
  readonly hint: string;
}

const EVERYBODY = 0o006;
const GROUP_WRITES = 0o020;

/**
 * The only rule for files with secrets. The group may read: files of a Secret that Kubernetes mounts with an `fsGroup` have the
 * mode 0440. Windows has no such modes. `name`: the name of the file for the operator.
 */
export function secretFileFault(file: string, name = file): Openness | undefined {
  const mode = modeOf(file);
  if ((mode & EVERYBODY) !== 0)
    return {
      verdict: 'refused',
      message: `other users of this machine can read or write the file ${name}`,
      hint: `chmod 640 ${name}, or 600; for a Secret in Kubernetes: \`defaultMode: 0440\` with an \`fsGroup\``,
    };
  if ((mode & GROUP_WRITES) === 0) return undefined;
  return {
    verdict: 'warned',
    message: `the group of the file ${name} can write to it`,
    hint: `chmod g-w ${name}`,
  };
}

/**
 * For a file that reveals much but opens nothing, such as a database of hashes or an audit log. Returns one line for the log.
 */
export function readableByEverybody(file: string): string | undefined {
  if ((modeOf(file) & EVERYBODY) === 0) return undefined;
  return `other users of this machine can read or write the file ${file}: chmod 600 it`;
}

/**
 * Undefined for a path that cannot be read, because the reader of this path reports the fault. Undefined also for a
 * device or a pipe, which stores nothing.
 */
function modeOf(file: string): number {
  if (process.platform === 'win32') return 0;
  try {
    const found = statSync(file);
    return found.isFile() ? found.mode : 0;
  } catch {
    return 0;
  }
}
