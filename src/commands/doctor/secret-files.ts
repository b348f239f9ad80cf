import { basename, resolve } from 'node:path';
import { secretFileFault } from '../../base/file-mode.ts';
import { HIDDEN } from '../../config/effective.ts';
import { doubtful, good, type Probe, type Seen } from './finding.ts';
import type { AuthorizationSubject, GatewaySubject } from './subject.ts';

type Holding = GatewaySubject | AuthorizationSubject;

/** Files that hold secrets are closed to everybody else on the machine. */
export function secretFiles(subject: Holding): readonly Probe[] {
  const files = new Set([...inFile(subject), ...referred(subject), ...keyFiles(subject)]);
  return [...files].map((file) => ({
    about: `the mode of ${file}`,
    look: () => lookAt(resolve(subject.directory, file), file),
  }));
}

/** The program uses it all the same, so it does not keep the setup from working. */
function lookAt(path: string, file: string): Seen {
  const fault = secretFileFault(path, file);
  return fault === undefined ? good('closed to everybody else') : doubtful(fault.message, fault.hint);
}

function originsOfSecrets({ values }: Holding) {
  return values.flatMap(({ value, origin }) => (value === HIDDEN && origin.kind === 'file' ? [origin] : []));
}

/** The file itself, where a secret stands in it as it is. */
function inFile(subject: Holding): readonly string[] {
  const isWritten = originsOfSecrets(subject).some(({ variable }) => variable === undefined);
  return isWritten ? [basename(subject.file)] : [];
}

/** What `${file:…}` names for a secret. */
function referred(subject: Holding): readonly string[] {
  return originsOfSecrets(subject).flatMap(({ variable = '' }) =>
    [...variable.matchAll(/\$\{file:([^}]+)\}/g)].map(([, file = '']) => file),
  );
}

/** Private keys that the file names by their path. */
function keyFiles(subject: Holding): readonly string[] {
  if (subject.kind === 'authorization') return [];
  const { listen, upstreams, authorization_servers: servers } = subject.config;
  const named = [
    listen.tls?.key,
    ...Object.values(upstreams).map(({ tls }) => tls?.key),
    ...Object.values(servers).map(({ client_key }) => client_key),
  ];
  return named.filter((file) => file !== undefined);
}
