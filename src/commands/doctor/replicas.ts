import { request } from 'undici';
import type { AdminConfig, ReplicaConfig } from '../../config/schema/admin.ts';
import { isLoopback } from '../../config/words/host.ts';
import { askReplica } from '../../gateway/console/live/ask-replica.ts';
import { parseJsonObject } from '../../jwt/json.ts';
import { listenerConnection } from '../common/listener-connection.ts';
import { listenerUrl } from '../common/listener-url.ts';
import { errorCodeOf, faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, PROBE_DEADLINE, type Seen } from './finding.ts';
import type { LoadedGatewayFile } from './subject.ts';

/** Each gateway of `admin.replicas` answers, accepts our credentials, and is another gateway. */
export function replicas(subject: LoadedGatewayFile): readonly DoctorProbe[] {
  const { admin } = subject.config;
  return (admin?.replicas ?? []).map((replica, index) => ({
    about: `admin.replicas[${index}] ${replica.url}`,
    look: (signal) => lookAt(replica, admin as AdminConfig, subject, signal),
  }));
}

async function lookAt(
  replica: ReplicaConfig,
  admin: AdminConfig,
  { directory }: LoadedGatewayFile,
  signal: AbortSignal,
): Promise<Seen> {
  if (isOwnAddress(replica, admin)) return ITSELF;
  // No filter matches a decision of this name, so the answer is short.
  const query = { filter: 'route:/', own: 'true' };
  const question = { query, accept: 'application/json', signal, silence: PROBE_DEADLINE, directory };
  try {
    const { statusCode, body } = await askReplica(replica, question);
    const { gateway, epoch } = parseJsonObject(new Uint8Array(await body.arrayBuffer())) ?? {};
    if (statusCode !== 200) return refusal(statusCode, replica);
    if (typeof gateway !== 'string' || typeof epoch !== 'string')
      return bad('the program there is not a gateway with a console', 'name the `admin` listener of the other gateway');
    return (await ownEpoch(admin, directory, signal)) === epoch ? ITSELF : good(`${gateway} answers`);
  } catch (error) {
    const code = errorCodeOf(error);
    return bad(`no answer: ${code}`, faultRemedy(code, 'check that the other gateway runs, or correct `url`'));
  }
}

const ITSELF = doubtful(
  'this is the gateway itself, so the console shows its decisions anyway',
  'remove this entry, unless all gateways share this file',
);

function isOwnAddress({ url }: ReplicaConfig, admin: AdminConfig): boolean {
  const { origin, hostname, port, protocol } = new URL(url);
  if (admin.url !== undefined && new URL(admin.url).origin === origin) return true;
  const isHere = isLoopback(hostname) && (isLoopback(admin.host) || EVERY.has(admin.host));
  return isHere && admin.port !== 0 && Number(port || (protocol === 'https:' ? 443 : 80)) === admin.port;
}

const EVERY: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The start of the gateway of this file. Undefined: none runs, or its listener requires a login. */
async function ownEpoch(admin: AdminConfig, directory: string, signal: AbortSignal): Promise<unknown> {
  if (admin.port === 0 || admin.access !== 'loopback') return undefined;
  const url = listenerUrl(admin, '/api/decisions?filter=route:/&own=true');
  try {
    const { body } = await request(url, { ...listenerConnection(admin, directory), signal });
    return parseJsonObject(new Uint8Array(await body.arrayBuffer()))?.epoch;
  } catch {
    return undefined;
  }
}

/** Status → what the other listener says, and the remedy. */
const refusals: Readonly<Record<number, (replica: ReplicaConfig) => Seen>> = {
  401: ({ username }) =>
    username === undefined
      ? bad(
          'the listener requires a login',
          'write `username` and `password` beside `url`, for a user who may open that listener',
        )
      : bad('the listener refuses our credentials', 'compare `username` and `password` with the file of users there'),
  404: () => bad('no console answers there', 'write `console: true` in `admin` there'),
  421: () =>
    bad(
      'the listener does not accept this host',
      'write a `url` here with the address of the listener, or with the host of its own `admin: { url }`',
    ),
  429: () =>
    bad(
      'the listener got too many wrong passwords from this address, and checks no password for a while',
      'correct the password, and wait for the `login: { window }` of the other gateway, 15m by default',
    ),
  503: () => bad('the listener cannot answer now: status 503', 'see the log of the other gateway'),
};

function refusal(status: number, replica: ReplicaConfig): Seen {
  const known = refusals[status];
  return known?.(replica) ?? bad(`the listener answers with status ${status}`, 'see the log of the other gateway');
}
