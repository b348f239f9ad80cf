import { Agent } from 'undici';
import { lazily } from '../../base/lazily.ts';
import type { AdminConfig, ServerAccess } from '../../config/schema/admin.ts';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import type { FailedFetch, FetchJson } from '../../gateway/server-client/fetch-json.ts';
import { judgeEndpoint, readMetadata } from '../../gateway/server-client/metadata.ts';
import { connectOptions, trustOf } from '../../gateway/server-client/trust.ts';
import { fetcherOf } from '../../gateway/verify/open-authorization-server.ts';
import { listenerUrl } from '../common/listener-url.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

/** Bytes of an answer of the server. */
const MOST = 1024 * 1024;

/** What the file says about the login. */
interface Configured {
  readonly admin: AdminConfig;
  readonly access: ServerAccess;
  readonly block: AuthorizationServerConfig;
}

interface Endpoints {
  readonly tokenEndpoint: string;
}

/** The login of operators, and the means to ask its server as the gateway does. */
export interface OperatorLogin extends Configured {
  readonly client: string;
  readonly redirectUri: string;
  readonly directory: string;
  readonly clock: DoctorContext['clock'];
  readonly agent: Agent;
  readonly endpoints: () => Promise<Endpoints | FailedFetch>;
}

export function openLogin(
  configured: Configured,
  { directory, config: { development } }: LoadedGatewayFile,
  { opened, clock }: DoctorContext,
): OperatorLogin {
  const { admin, access, block } = configured;
  const trust = trustOf(block, { directory });
  const agent = opened.adopt(new Agent({ connect: connectOptions(trust), maxResponseSize: MOST }), (each) =>
    each.destroy(),
  );
  const endpoints = lazily(() =>
    endpointsOf(
      block.issuer,
      development,
      fetcherOf(() => agent, trust),
    ),
  );
  const client = access.client_id ?? block.client_id ?? '';
  return { ...configured, client, redirectUri: redirectOf(admin), directory, clock, agent, endpoints };
}

async function endpointsOf(issuer: string, development: boolean, fetch: FetchJson): Promise<Endpoints | FailedFetch> {
  const read = await readMetadata({ issuer, fetch });
  if (read.kind === 'failed') return read;
  const page = judgeEndpoint(read.value, 'authorization_endpoint', { issuer, development });
  if (typeof page !== 'string') return page;
  const tokenEndpoint = judgeEndpoint(read.value, 'token_endpoint', { issuer, development });
  return typeof tokenEndpoint === 'string' ? { tokenEndpoint } : tokenEndpoint;
}

function redirectOf(admin: AdminConfig): string {
  return `${admin.url === undefined ? listenerUrl(admin, '') : new URL(admin.url).origin}/console/callback`;
}
