import { OWN_FILES, openFileLimit } from '../../base/open-files.ts';
import type { GatewayConfig } from '../../config/gateway.ts';
import { doubtful, good, type Probe, type Seen } from './finding.ts';
import type { GatewaySubject } from './subject.ts';

/** Each connection is an open file: what `limits` permits has to fit into what the system permits. */
export function openFiles({ config }: GatewaySubject): readonly Probe[] {
  const limit = openFileLimit();
  return limit === undefined ? [] : [{ about: 'open files', look: () => judge(limit, filesNeeded(config)) }];
}

/** Of one process at its busiest. */
function filesNeeded({ limits, upstreams, authorization_servers: servers }: GatewayConfig): number {
  const towardsUpstreams = Object.values(upstreams).map(({ urls, max_connections }) => urls.length * max_connections);
  const towardsServers = Object.values(servers).map(({ cache }) => cache.max_concurrent);
  return [limits.connections, ...towardsUpstreams, ...towardsServers].reduce((sum, each) => sum + each, OWN_FILES);
}

function judge(limit: number, needed: number): Seen {
  if (limit >= needed) return good(`${limit} are allowed, ${needed} are needed at most`);
  return doubtful(
    `${limit} are allowed, and ${needed} are needed for limits.connections and max_connections together`,
    `\`ulimit -n ${needed}\` before it starts, \`LimitNOFILE=${needed}\` in systemd, or lower \`limits: { connections }\``,
  );
}
