import { OWN_FILES, openFileLimit, roomForConnections } from '../../base/open-files.ts';
import { packageFile } from '../../base/package-file.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedGatewayFile, Subject } from './subject.ts';

/** The launcher may find a newer Node.js. If someone starts src/cli.ts or dist/cli.js directly, this version runs. */
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

/** Each connection is an open file, so the system must allow enough open files for `limits`. */
export function openFiles({ config }: LoadedGatewayFile): readonly DoctorProbe[] {
  const limit = openFileLimit();
  return limit === undefined
    ? []
    : [{ about: 'open files', look: () => [judge(limit, filesNeeded(config)), ...cut(limit, config)] }];
}

/** The largest number of files that one process opens. */
function filesNeeded({ limits, upstreams, authorization_servers: servers }: GatewayConfig): number {
  const towardsUpstreams = Object.values(upstreams).map(({ urls, max_connections }) => urls.length * max_connections);
  const towardsServers = Object.values(servers).map(({ cache }) => cache.max_concurrent);
  return [limits.connections, ...towardsUpstreams, ...towardsServers].reduce((sum, each) => sum + each, OWN_FILES);
}

function judge(limit: number, needed: number): Seen {
  if (limit >= needed) return good(`${limit} are allowed, at most ${needed} are needed`);
  return doubtful(
    `${limit} are allowed, and ${needed} are needed: for limits.connections, max_connections of each upstream URL, cache.max_concurrent of each authorization server, and the gateway's own files`,
    `run \`ulimit -n ${needed}\` before the gateway starts, write \`LimitNOFILE=${needed}\` in systemd, or lower \`limits: { connections }\``,
  );
}

/** The system's limit for open files also limits the connections to upstreams, whatever a block allows. */
function cut(limit: number, { upstreams }: GatewayConfig): readonly Seen[] {
  const room = roomForConnections(2, limit);
  return Object.entries(upstreams)
    .filter(([, { http2, max_connections }]) => !http2 && max_connections > room)
    .map(([name, { max_connections }]) => ({
      ...doubtful(
        `the system allows ${limit} open files, so the gateway opens at most ${room} connections, although \`max_connections\` is ${max_connections}`,
        `run \`ulimit -n ${OWN_FILES + 2 * max_connections}\` before the gateway starts, or lower \`max_connections\``,
      ),
      about: `upstreams.${name}`,
    }));
}
