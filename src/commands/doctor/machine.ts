import { OWN_FILES, openFileLimit, roomForConnections } from '../../base/open-files.ts';
import { packageFile } from '../../base/package-file.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile, Subject } from './subject.ts';

/** The launcher finds another Node.js where it can; who starts src/cli.ts or dist/cli.js by itself has what there is. */
export function nodeVersion(_: Subject, { node }: Pick<DoctorContext, 'node'>): readonly DoctorProbe[] {
  return [{ about: 'Node.js', look: () => judgeNode(node, packageFile().engines.node) }];
}

/** `wanted`: `>=MAJOR.MINOR`. */
export function judgeNode(version: string, wanted: string): Seen {
  const [major = 0, minor = 0] = numbers(version);
  const [least = 0, leastMinor = 0] = numbers(wanted);
  const isEnough = major > least || (major === least && minor >= leastMinor);
  if (isEnough) return good(version);
  return bad(`${version} is too old`, `install Node.js ${numbers(wanted).join('.')} or newer`);
}

function numbers(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** Each connection is an open file: the system must allow as many as `limits` permits. */
export function openFiles({ config }: LoadedGatewayFile): readonly DoctorProbe[] {
  const limit = openFileLimit();
  return limit === undefined
    ? []
    : [{ about: 'open files', look: () => [judge(limit, filesNeeded(config)), ...cut(limit, config)] }];
}

/** The peak of one process. */
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

/** A process has no more connections to upstreams than there is room for: whatever a block says above that is not opened. */
function cut(limit: number, { upstreams }: GatewayConfig): readonly Seen[] {
  const room = roomForConnections(2, limit);
  return Object.entries(upstreams)
    .filter(([, { http2, max_connections }]) => !http2 && max_connections > room)
    .map(([name, { max_connections }]) => ({
      ...doubtful(
        `${limit} are allowed, so it opens at most ${room} of its \`max_connections: ${max_connections}\``,
        `\`ulimit -n ${OWN_FILES + 2 * max_connections}\` before it starts, or lower \`max_connections\``,
      ),
      about: `upstreams.${name}`,
    }));
}
