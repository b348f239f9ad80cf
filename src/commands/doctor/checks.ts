import { auditFile } from './audit-file.ts';
import { authorizationServers } from './authorization-servers.ts';
import { certificates } from './certificates.ts';
import { counters } from './counters.ts';
import { fileIsValid } from './file-is-valid.ts';
import type { Probe } from './finding.ts';
import { issuer } from './issuer.ts';
import { listeners } from './listeners.ts';
import { nodeVersion } from './node-version.ts';
import { openFiles } from './open-files.ts';
import { secretFiles } from './secret-files.ts';
import { storage } from './storage.ts';
import type { Around, AuthorizationSubject, GatewaySubject, Subject } from './subject.ts';
import { tokenStores } from './token-stores.ts';
import { upstreams } from './upstreams.ts';
import { userStores } from './user-stores.ts';
import { wallClock } from './wall-clock.ts';

/** What a subject needs looked at in one respect. */
type Check<Of> = (subject: Of, around: Around) => readonly Probe[];

/** Name → its probes, in the order in which they are told. */
export type NamedChecks = Readonly<Record<string, readonly Probe[]>>;

const always: Readonly<Record<string, Check<Subject>>> = {
  file: fileIsValid,
  node: nodeVersion,
  clock: wallClock,
};

const ofGateway: Readonly<Record<string, Check<GatewaySubject>>> = {
  listen: listeners,
  certificates,
  upstreams,
  authorization_servers: authorizationServers,
  token_stores: tokenStores,
  user_stores: userStores,
  counters,
  secrets: secretFiles,
  open_files: openFiles,
};

const ofAuthorization: Readonly<Record<string, Check<AuthorizationSubject>>> = {
  listen: listeners,
  issuer,
  storage,
  counters,
  secrets: secretFiles,
  audit: auditFile,
};

/** Of a file that does not load, only what needs no file. */
export function checksFor(subject: Subject, around: Around): NamedChecks {
  const general = run(always, subject, around);
  if (subject.kind === 'gateway') return { ...general, ...run(ofGateway, subject, around) };
  if (subject.kind === 'authorization') return { ...general, ...run(ofAuthorization, subject, around) };
  return general;
}

function run<Of>(checks: Readonly<Record<string, Check<Of>>>, subject: Of, around: Around): NamedChecks {
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, check(subject, around)]));
}
