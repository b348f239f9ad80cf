import type { Test } from 'tap';
import { clientsWith, runFront } from '../../../authorization/browser/walk.ts';
import { configuration, gateway as introspecting } from '../../../authorization/running-service.ts';
import { freePort } from '../../../support/free-port.ts';
import { gateway } from '../../../support/gateway.ts';
import { walkAsAlice } from '../../clients/site.ts';
import { callbackPath, clientName } from './registration.ts';

export const scope = 'mcp.use';

/** An MCP server that only tokens of our authorization service reach. */
export interface Stage {
  readonly issuer: string;
  /** The address of the MCP server for clients, which is also the audience of their tokens. */
  readonly url: string;
  /** What clients sent to the authorization endpoint. */
  readonly asked: readonly URLSearchParams[];
  /** As alice: logs in, allows everything, and returns the address of the client at which the browser arrives. */
  browse(authorizationUrl: string | URL): Promise<URL>;
}

/** The service, a gateway, and this MCP server behind the gateway. */
export async function stage(t: Test, upstream: string): Promise<Stage> {
  const self = `http://127.0.0.1:${await freePort()}`;
  const url = `${self}/mcp`;
  const service = await runFront(t, { config: settings(url) });
  await gateway(t, { listen: new URL(self).host, ...guard(upstream, url, service.issuer) });
  const asked: URLSearchParams[] = [];
  return {
    issuer: service.issuer,
    url,
    asked,
    browse(authorizationUrl) {
      asked.push(new URL(authorizationUrl).searchParams);
      return walkAsAlice(service, authorizationUrl);
    },
  };
}

const settings = (resource: string) => ({
  resources: [resource],
  scopes: { ...configuration().scopes, [scope]: 'Use the tools' },
  clients: clientsWith({
    client_id: 'agent',
    client_name: clientName,
    scope,
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [`http://127.0.0.1${callbackPath}`],
  }),
});

const guard = (upstream: string, resource: string, issuer: string) => ({
  authorization_servers: {
    main: { issuer, client_id: introspecting.id, client_secret: introspecting.secret, audience: resource },
  },
  upstreams: { tools: { url: new URL(upstream).origin, timeout: { idle: 'none' } } },
  defaults: { upstream: 'tools' },
  routes: [{ id: 'tools', match: { path: '/mcp' }, resource, scope }],
});
