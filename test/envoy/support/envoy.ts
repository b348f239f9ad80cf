import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { parse, stringify } from 'yaml';
import { freePort } from '../../support/free-port.ts';
import { blockOf, type FrontProxy, started } from '../../support/front-proxy.ts';
import { peerFile } from '../../support/peer-place.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const MANAGER = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

const PROTOCOLS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/** `h2:HOST:PORT`: the cluster speaks HTTP/2. */
function cluster(name: string, url: string): object {
  const isHttp2 = url.startsWith('h2:');
  const [address, port] = url.replace(/^h2:/, '').split(':');
  const endpoint = { address: { socket_address: { address, port_value: Number(port) } } };
  return {
    name,
    type: 'STATIC',
    connect_timeout: '2s',
    ...(isHttp2 && {
      typed_extension_protocol_options: {
        [PROTOCOLS]: {
          '@type': `type.googleapis.com/${PROTOCOLS}`,
          explicit_http_config: { http2_protocol_options: {} },
        },
      },
    }),
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
}

/** Changes what the page shows, in place. */
// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program, which has no types here
type Change = (manager: any) => void;

/** Envoy with the connection manager's part that the page shows. Clusters: name → HOST:PORT. */
export async function envoy(
  t: Test,
  page: string,
  clusters: Readonly<Record<string, string>>,
  change: Change = () => {},
): Promise<FrontProxy> {
  const port = await freePort();
  const shown = parse(blockOf(page, 'yml', {})) as object;
  change(shown);
  const typed_config = { '@type': MANAGER, stat_prefix: 'front', ...shown };
  const listener = {
    name: 'front',
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config }] }],
  };
  const all = Object.entries(clusters).map(([name, url]) => cluster(name, url));
  return envoyOf(t, port, { static_resources: { listeners: [listener], clusters: all } });
}

/** Envoy with this bootstrap configuration, which listens at the port. */
export function envoyOf(t: Test, port: number, bootstrap: object): Promise<FrontProxy> {
  const file = join(temporaryFolder(t), 'envoy.yaml');
  writeFileSync(file, stringify(bootstrap));
  const program = peerFile('envoy-1.40.0', 'venv/lib/python*/site-packages/envoy/_bin/envoy');
  chmodSync(program, 0o755);
  const args = ['-c', file, '--concurrency', '1', '--disable-hot-restart', '--log-level', 'warning'];
  return started(t, port, spawn(program, args, { stdio: 'pipe' }));
}
