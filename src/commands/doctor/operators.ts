import { isByServer } from '../../config/schema/admin.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, good, type Seen } from './finding.ts';
import { lookAtClient } from './operator-client.ts';
import { type OperatorLogin, openLogin } from './operator-login.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

/** The authorization server of `admin.access` has what a login needs, and accepts the client of the console. */
export function operatorLogin(subject: LoadedGatewayFile, around: DoctorContext): readonly DoctorProbe[] {
  const { admin, authorization_servers: servers } = subject.config;
  if (admin === undefined || !isByServer(admin.access)) return [];
  const { access } = admin;
  const block = servers[access.authorization_server];
  if (block === undefined) return [];
  const login = openLogin({ admin, access, block }, subject, around);
  return [
    { about: 'admin.access login', look: () => lookAtServer(login) },
    { about: `admin.access client ${login.client}`, look: (signal) => lookAtClient(login, signal) },
  ];
}

const REMEDY = 'name a server where users can log in with a browser';

async function lookAtServer({ endpoints, client, redirectUri, access }: OperatorLogin): Promise<Seen> {
  const found = await endpoints();
  if ('kind' in found) return bad(found.detail, faultRemedy(found.detail, REMEDY));
  return good(
    `possible, if the client ${client} has the redirect address ${redirectUri} and the scope ${access.scope}`,
  );
}
