import type { Test } from 'tap';
import { clientsWith, runFront } from '../../../authorization/browser/walk.ts';
import { type Changes, configuration, gateway as introspecting } from '../../../authorization/running-service.ts';
import { freePort } from '../../../support/free-port.ts';
import { gateway } from '../../../support/gateway.ts';
import { walkAsAlice } from '../../clients/site.ts';
import { callbackPath, clientName } from './registration.ts';

export const scope = 'mcp.use';

/** The scope that some tools need in addition. */
export const extra = 'tools.extra';

/** Rules for the tools of the servers behind the gateway. `mirror` and `filter_lists` have their defaults. */
const mcp = {
  sessions: true,
  scope: { 'tools/call get-sum': extra, 'tools/call test_multiple_content_types': extra },
  deny: ['tools/call get-env', 'tools/call test_error_handling'],
};

/** A login, in parameters. */
export interface Visit {
  readonly request: Readonly<Record<string, string>>;
  readonly answer: Readonly<Record<string, string>>;
}

/** What a test changes. */
export interface StageOptions {
  /** Settings of the authorization service. */
  readonly service?: Changes;
  /** More clients of the authorization service. */
  readonly clients?: ReturnType<typeof clientsWith>;
  /** Keys of the gateway's file. */
  readonly gateway?: object;
}

/** An MCP server that only tokens of our authorization service reach. */
export interface Stage {
  readonly issuer: string;
  /** The address of the MCP server for clients, which is also the audience of their tokens. */
  readonly url: string;
  readonly visits: readonly Visit[];
  /** As alice: logs in, allows everything, and returns the address of the client at which the browser arrives. */
  browse(authorizationUrl: string | URL): Promise<URL>;
}

/** The service, a gateway, and this MCP server behind the gateway. */
export async function stage(t: Test, upstream: string, options: StageOptions = {}): Promise<Stage> {
  const self = `http://127.0.0.1:${await freePort()}`;
  const url = `${self}/mcp`;
  const service = await runFront(t, { config: { ...settings(url, options.clients), ...options.service } });
  await gateway(t, { listen: new URL(self).host, ...guard(upstream, url, service.issuer), ...options.gateway });
  const visits: Visit[] = [];
  return {
    issuer: service.issuer,
    url,
    visits,
    async browse(authorizationUrl) {
      const arrival = await walkAsAlice(service, authorizationUrl);
      visits.push({ request: parameters(new URL(authorizationUrl)), answer: parameters(arrival) });
      return arrival;
    },
  };
}

const parameters = ({ searchParams }: URL) => Object.fromEntries(searchParams);

const settings = (resource: string, clients: StageOptions['clients'] = []) => ({
  resources: [resource],
  scopes: { ...configuration().scopes, [scope]: 'Use the tools', [extra]: 'Use dangerous tools' },
  clients: clientsWith(
    {
      client_id: 'agent',
      client_name: clientName,
      scope,
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`http://127.0.0.1${callbackPath}`],
    },
    ...clients,
  ),
});

const guard = (upstream: string, resource: string, issuer: string) => ({
  authorization_servers: {
    main: { issuer, client_id: introspecting.id, client_secret: introspecting.secret, audience: resource },
  },
  upstreams: { tools: { url: new URL(upstream).origin, timeout: { idle: 'none' } } },
  defaults: { upstream: 'tools' },
  routes: [{ id: 'tools', match: { path: '/mcp' }, resource, scope, mcp }],
});
