import { createServer } from 'node:http';
import type { Test } from 'tap';
import { freePort } from '../../support/free-port.ts';
import { ask } from '../../support/raw-client.ts';
import { requestText } from '../../support/request-text.ts';
import { serving } from '../../support/serving.ts';
import { tlsFile } from '../../support/tls-file.ts';
import { tlsUpstream } from '../../support/tls-upstream.ts';
import type { Sabotage } from './compiled-envoy.ts';

/** How a proxy connects to upstreams: limits of time, retries and TLS. */

export interface Connected {
  /** The upstreams and routes of a gateway file. Each route has the path of its upstream. */
  readonly file: object;
  /** What a client gets, and how many requests arrived at the upstream. */
  results(port: number): Promise<Readonly<Record<string, string>>>;
}

/** Milliseconds after which the slow upstream answers. Its limit is a tenth. */
const SLOW = 3_000;

export async function connected(t: Test): Promise<Connected> {
  const arrived = new Map<string, number>();
  const count = (name: string) => arrived.set(name, (arrived.get(name) ?? 0) + 1);
  const plain = await serving(
    t,
    createServer(({ url = '' }, response) => {
      count(url.slice(1));
      if (url === '/failing') response.writeHead(503).end();
      else setTimeout(() => response.end('ok'), url === '/slow' ? SLOW : 0).unref();
    }),
  );
  const secure = await tlsUpstream(t);
  const address = secure.url.replace('localhost', '127.0.0.1');
  const [ca, other] = [tlsFile('authority.crt'), tlsFile('other-authority.crt')];
  const closed = `http://127.0.0.1:${await freePort()}`;
  const limit = `${SLOW / 10}ms`;
  const upstreams = {
    slow: { url: plain, timeout: { response: limit, idle: limit } },
    failing: { url: plain, retries: 1 },
    half: { urls: [closed, plain], retries: 1 },
    secure: { url: address, tls: { ca } },
    renamed: { url: address, tls: { ca, server_name: 'other.example' } },
    stranger: { url: address, tls: { ca: other } },
  };
  const routes = Object.keys(upstreams).map((id) => ({
    id,
    match: { path: `/${id}` },
    access: 'public',
    upstream: id,
  }));
  return {
    file: { upstreams, routes },
    async results(port) {
      const found: Record<string, string> = {};
      // Two of each, because a proxy tries the addresses of an upstream in turn.
      for (const name of Object.keys(upstreams).flatMap((each) => [each, each])) {
        const before = (arrived.get(name) ?? 0) + secure.requests();
        const { status } = await ask(port, requestText({ target: `/${name}` }));
        const requests = (arrived.get(name) ?? 0) + secure.requests() - before;
        const told = requests === 0 && status >= 502 ? 'unreachable' : `${status}, ${requests} arrived`;
        found[name] = found[name] === undefined || found[name] === told ? told : `${found[name]}; ${told}`;
      }
      return found;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program, which has no types here
type Part = any;

function actionOf(configuration: Part, id: string): Part {
  const [{ filter_chains }] = configuration.static_resources.listeners;
  const [host] = filter_chains[0].filters[0].typed_config.route_config.virtual_hosts;
  return host.routes.find(({ name }: Part) => name === id).route;
}

function clusterOf(configuration: Part, id: string): Part {
  return configuration.static_resources.clusters.find(({ name }: Part) => name === `upstream_${id}`);
}

function validationOf(configuration: Part, id: string): Part {
  return clusterOf(configuration, id).transport_socket.typed_config.common_tls_context.validation_context;
}

/** Wrong compiles of these parts. */
export const plantedConnections: Readonly<Record<string, Sabotage>> = {
  'an upstream may take any time': (configuration) => {
    actionOf(configuration, 'slow').idle_timeout = '0s';
  },
  'a request is sent again after any failure': (configuration) => {
    actionOf(configuration, 'failing').retry_policy = { retry_on: '5xx', num_retries: 1 };
  },
  'nothing is tried again': (configuration) => {
    delete actionOf(configuration, 'half').retry_policy;
  },
  'a certificate may have any name': (configuration) => {
    delete validationOf(configuration, 'renamed').match_typed_subject_alt_names;
  },
  'a certificate may have any authority': (configuration) => {
    clusterOf(configuration, 'stranger').transport_socket.typed_config.common_tls_context.validation_context = {};
  },
  'the upstream is reached without TLS': (configuration) => {
    delete clusterOf(configuration, 'secure').transport_socket;
  },
};
