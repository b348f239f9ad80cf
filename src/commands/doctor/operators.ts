import { Agent } from 'undici';
import { type AdminConfig, isByServer, type ServerAccess } from '../../config/schema/admin.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { judgeEndpoint, readMetadata } from '../../gateway/server-client/metadata.ts';
import { connectOptions, trustOf } from '../../gateway/server-client/trust.ts';
import { fetcherOf } from '../../gateway/verify/open-authorization-server.ts';
import { listenerUrl } from '../common/listener-url.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

/** The authorization server of `admin.access` has what a login needs. */
export function operatorLogin(subject: LoadedGatewayFile, around: DoctorContext): readonly DoctorProbe[] {
  const { admin, authorization_servers: servers } = subject.config;
  if (admin === undefined || !isByServer(admin.access)) return [];
  const { access } = admin;
  const block = servers[access.authorization_server];
  if (block === undefined) return [];
  return [{ about: 'admin.access login', look: () => lookAt({ admin, access, block }, subject, around) }];
}

interface OperatorLogin {
  readonly admin: AdminConfig;
  readonly access: ServerAccess;
  readonly block: AuthorizationServerConfig;
}

const MEMBERS = ['authorization_endpoint', 'token_endpoint'] as const;
const REMEDY = 'name a server where users can log in with a browser';

async function lookAt(
  { admin, access, block }: OperatorLogin,
  { directory, config: { development } }: LoadedGatewayFile,
  { opened }: DoctorContext,
): Promise<Seen> {
  const trust = trustOf(block, { directory });
  const agent = opened.adopt(new Agent({ connect: connectOptions(trust) }), (each) => each.destroy());
  const { issuer } = block;
  const read = await readMetadata({ issuer, fetch: fetcherOf(() => agent, trust) });
  const found =
    read.kind === 'failed' ? [read] : MEMBERS.map((name) => judgeEndpoint(read.value, name, { issuer, development }));
  const fault = found.find((each) => typeof each !== 'string');
  if (typeof fault === 'object') return bad(fault.detail, faultRemedy(fault.detail, REMEDY));
  const client = access.client_id ?? block.client_id;
  return good(
    `possible, if the client ${client} has the redirect address ${redirectOf(admin)} and the scope ${access.scope}`,
  );
}

function redirectOf(admin: AdminConfig): string {
  return `${admin.url === undefined ? listenerUrl(admin, '') : new URL(admin.url).origin}/console/callback`;
}
