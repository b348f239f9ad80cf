import { authorizationServers } from './authorization-servers.ts';
import { certificates } from './certificates.ts';
import { wallClock } from './clocks.ts';
import { counterChecks } from './counters.ts';
import { dataPath } from './data-path.ts';
import { accessLogFile, auditFile, fileIsValid, secretFiles } from './files.ts';
import type { DoctorProbe } from './finding.ts';
import { issuer, listeners } from './listeners.ts';
import { nodeVersion, openFiles } from './machine.ts';
import { operatorLogin } from './operators.ts';
import { receivers } from './receivers.ts';
import { replicas } from './replicas.ts';
import { activeFile, forwardedHost, untrustedProxies } from './running-gateway.ts';
import { storageChecks } from './storage.ts';
import { tokenStores, userStores } from './stores.ts';
import type { DoctorContext, LoadedGatewayFile, LoadedServiceFile, Subject } from './subject.ts';
import { upstreams } from './upstreams.ts';

/** One kind of check, for one kind of file. */
type Check<Of> = (subject: Of, around: DoctorContext) => readonly DoctorProbe[];

/** Name → its probes, in the order of the report. */
export type NamedChecks = Readonly<Record<string, readonly DoctorProbe[]>>;

const always: Readonly<Record<string, Check<Subject>>> = {
  file: fileIsValid,
  node: nodeVersion,
  clock: wallClock,
};

const ofGateway: Readonly<Record<string, Check<LoadedGatewayFile>>> = {
  listen: listeners,
  active_file: activeFile,
  trusted_proxies: forwardedHost,
  certificates,
  upstreams,
  authorization_servers: authorizationServers,
  operators: operatorLogin,
  replicas,
  token_stores: tokenStores,
  user_stores: userStores,
  counters: counterChecks,
  secrets: secretFiles,
  access_log: accessLogFile,
  open_files: openFiles,
  proxies: untrustedProxies,
  data_path: dataPath,
};

const ofAuthorization: Readonly<Record<string, Check<LoadedServiceFile>>> = {
  listen: listeners,
  issuer,
  storage: storageChecks,
  receivers,
  counters: counterChecks,
  secrets: secretFiles,
  audit: auditFile,
  proxies: untrustedProxies,
};

/** If the file does not load, only the checks that need no file. */
export function checksFor(subject: Subject, around: DoctorContext): NamedChecks {
  const general = run(always, subject, around);
  if (subject.kind === 'gateway') return { ...general, ...run(ofGateway, subject, around) };
  if (subject.kind === 'authorization') return { ...general, ...run(ofAuthorization, subject, around) };
  return general;
}

function run<Of>(checks: Readonly<Record<string, Check<Of>>>, subject: Of, around: DoctorContext): NamedChecks {
  return Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, check(subject, around)]));
}
