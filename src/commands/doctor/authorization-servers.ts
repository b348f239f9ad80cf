import { Agent } from 'undici';
import type { AuthorizationServerConfig } from '../../config/schema/gateway.ts';
import { metadata } from '../../gateway/server-client/metadata.ts';
import { connectOptions, trustOf } from '../../gateway/server-client/trust.ts';
import { fetcherOf } from '../../gateway/verify/open-authorization-server.ts';
import { serverClock } from './clocks.ts';
import type { DoctorProbe } from './finding.ts';
import type { RemoteView } from './remote-server.ts';
import { serverFeed } from './server-feed.ts';
import { serverReports } from './server-reports.ts';
import { serverIntrospection, serverKeys, serverMetadata } from './server-tokens.ts';
import type { DoctorContext, LoadedGatewayFile } from './subject.ts';

/** The checks of each server, if the gateway uses it. */
const looks: readonly ((view: RemoteView) => readonly DoctorProbe[])[] = [
  serverMetadata,
  serverKeys,
  serverIntrospection,
  serverFeed,
  serverReports,
  serverClock,
];

/** Checks each authorization server, with the same requests that the gateway sends. */
export function authorizationServers(subject: LoadedGatewayFile, around: DoctorContext): readonly DoctorProbe[] {
  return Object.entries(subject.config.authorization_servers).flatMap(([name, config]) => {
    const view = open(name, config, subject, around);
    return looks.flatMap((look) => look(view));
  });
}

function open(
  name: string,
  config: AuthorizationServerConfig,
  { directory, config: { development } }: LoadedGatewayFile,
  { clock, opened }: DoctorContext,
): RemoteView {
  const trust = trustOf(config, { directory });
  const agent = opened.adopt(new Agent({ connect: connectOptions(trust) }), (each) => each.destroy());
  const fetch = fetcherOf(() => agent, trust);
  const about = metadata({ issuer: config.issuer, development, fetch, clock, ttl: config.jwks.ttl });
  return { name: `authorization_servers.${name}`, config, directory, clock, opened, agent, trust, fetch, about };
}
