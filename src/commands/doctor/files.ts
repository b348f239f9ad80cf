import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { secretFileFault } from '../../base/file-mode.ts';
import { HIDDEN } from '../../config/show/effective.ts';
import type { Problem } from '../../config/words/problem.ts';
import { checkFile } from '../common/check-file.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { LoadedGatewayFile, LoadedServiceFile, Subject } from './subject.ts';

/** The result of `gatehouse check`, including the tests of the file. */
export function fileIsValid({ file }: Subject): readonly DoctorProbe[] {
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

const MIB = 1024 * 1024;
/** Bytes. Below this, a commit may fail at any moment. */
const NONE = 16 * MIB;
const LITTLE = 256 * MIB;

/** Checks that files in this folder can be created and grow. If the folder does not exist, its nearest parent is checked. */
export function judgeFolder(folder: string): Seen {
  const there = nearest(folder);
  if (!isWritable(there))
    return bad(
      `this user cannot write to ${there}`,
      `run the program as the user that owns the folder, or chown ${there}`,
    );
  const { bavail, bsize } = statfsSync(there);
  const free = bavail * bsize;
  const shown = `${Math.floor(free / MIB)} MiB are free`;
  if (free < NONE) return bad(`the disk is full: ${shown}`, 'make room, or use a folder on another disk');
  return free < LITTLE
    ? doubtful(shown, 'make room, or use a folder on another disk')
    : good(`can be written, ${shown}`);
}

function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Holding = LoadedGatewayFile | LoadedServiceFile;

/** Only the owner may read a file with secrets. */
export function secretFiles(subject: Holding): readonly DoctorProbe[] {
  const files = new Set([...inFile(subject), ...referred(subject), ...keyFiles(subject)]);
  return [...files].map((file) => ({
    about: `the mode of ${file}`,
    look: () => lookAt(resolve(subject.directory, file), file),
  }));
}

/** The program works although others can read the file, so this is only a warning. */
function lookAt(path: string, file: string): Seen {
  const fault = secretFileFault(path, file);
  return fault === undefined ? good('readable by its owner only') : doubtful(fault.message, fault.hint);
}

function originsOfSecrets({ values }: Holding) {
  return values.flatMap(({ value, origin }) => (value === HIDDEN && origin.kind === 'file' ? [origin] : []));
}

/** The file itself, if it contains a secret as plain text. */
function inFile(subject: Holding): readonly string[] {
  const isWritten = originsOfSecrets(subject).some(({ variable }) => variable === undefined);
  return isWritten ? [basename(subject.file)] : [];
}

/** The files that `${file:…}` names for secrets. */
function referred(subject: Holding): readonly string[] {
  return originsOfSecrets(subject).flatMap(({ variable = '' }) =>
    [...variable.matchAll(/\$\{file:([^}]+)\}/g)].map(([, file = '']) => file),
  );
}

/** Private keys that the file names by path. */
function keyFiles(subject: Holding): readonly string[] {
  if (subject.kind === 'authorization') return [];
  const { listen, admin, upstreams, authorization_servers: servers } = subject.config;
  const named = [
    listen.tls?.key,
    admin?.tls?.key,
    ...Object.values(upstreams).map(({ tls }) => tls?.key),
    ...Object.values(servers).map(({ client_key }) => client_key),
  ];
  return named.filter((file) => file !== undefined);
}

/** The service does not start if it cannot write its audit log. */
export function auditFile({ config, directory }: LoadedServiceFile): readonly DoctorProbe[] {
  if (config.audit === undefined) return [];
  const file = resolve(directory, config.audit.file);
  return [{ about: `audit ${config.audit.file}`, look: () => lookAtWritten(file, 'service') }];
}

/** The gateway does not start if it cannot write its access log. */
export function accessLogFile({ config: { access_log }, directory }: LoadedGatewayFile): readonly DoctorProbe[] {
  if (access_log === undefined || access_log.file === '-') return [];
  const file = resolve(directory, access_log.file);
  return [{ about: `access log ${access_log.file}`, look: () => lookAtWritten(file, 'gateway') }];
}

function lookAtWritten(file: string, writer: string): Seen {
  if (!existsSync(file)) return judgeFolder(dirname(file));
  try {
    accessSync(file, constants.W_OK);
    return good('can be written');
  } catch {
    return bad('this user cannot write to it', `chown ${file} to the user that runs the ${writer}`);
  }
}
