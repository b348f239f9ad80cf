import { adminParts } from '../schema/admin.ts';
import { countersParts } from '../schema/counters.ts';
import type { AuthorizationServerConfig } from '../schema/gateway.ts';
import { securityEventNames } from '../schema/receiver.ts';
import { didYouMean } from '../words/closest.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { endpointFaults } from '../words/url-rules.ts';
import type { Checks, Member } from './checks.ts';
import { reportsEnds } from './follows-feed.ts';
import type { GatewaySubject } from './subject.ts';

type Server = Member<AuthorizationServerConfig>;

/** Rules for servers that report logouts and security events, and for the place of the reports. */
export const receiverChecks: Checks<GatewaySubject> = {
  'a listener for reports': ({ servers, config }) =>
    config.receiver === undefined ? servers.flatMap(unheardFaults) : [],
  'receiver to which no server reports': uselessFaults,
  'security events without push or poll': ({ servers }) => servers.flatMap(wayFaults),
  'names of security events': ({ servers }) => servers.flatMap(nameFaults),
  'two claims that name users': ({ servers }) => servers.flatMap(claimFaults),
  'one source of revocations': ({ servers }) => servers.flatMap(feedFaults),
  'replicas that miss reports': replicaFaults,
  'one place for received events': placeFaults,
  'received events after a restart': restartFaults,
  'addresses of reports': ({ servers, config }) => servers.flatMap((server) => urlFaults(server, config.development)),
  'secrets of pushed events': secretFaults,
};

/** The keys of a server whose reports arrive at the listener. */
function arriving({ at, value }: Server): readonly Pointer[] {
  const { backchannel_logout, security_events } = value;
  return [
    ...(backchannel_logout === undefined ? [] : [[...at, 'backchannel_logout']]),
    ...(security_events?.push === undefined ? [] : [[...at, 'security_events', 'push']]),
  ];
}

function unheardFaults(server: Server): readonly Finding[] {
  return arriving(server).map((pointer) => ({
    pointer,
    message: 'there is no `receiver`, so these reports cannot arrive',
    hint: 'write `receiver: { listen: 127.0.0.1:8090 }` at the top level, and send reports there',
    atKey: true,
  }));
}

function uselessFaults({ servers, known, config: { receiver } }: GatewaySubject): readonly Finding[] {
  // A server with an error in its block may report, too.
  const isComplete = servers.length === known.servers.length;
  if (receiver === undefined || !isComplete || servers.some((server) => reportsEnds(server.value))) return [];
  return [
    {
      pointer: ['receiver'],
      severity: 'warning',
      message: 'no authorization server reports to this listener',
      hint: 'write `backchannel_logout` or `security_events` in the block of a server, or remove `receiver`',
      atKey: true,
    },
  ];
}

function wayFaults({ at, value: { security_events: events } }: Server): readonly Finding[] {
  if (events === undefined || events.push !== undefined || events.poll !== undefined) return [];
  const message = 'security events need `push` or `poll`';
  return [
    {
      pointer: [...at, 'security_events'],
      message,
      hint: 'write `push: { authorization: … }` or `poll: { url: … }` in `security_events`',
      atKey: true,
    },
  ];
}

function nameFaults({ at, value: { security_events } }: Server): readonly Finding[] {
  const unknown = Object.keys(security_events?.events ?? {}).filter(
    (name) => !securityEventNames.some((each) => each === name),
  );
  return unknown.map((name) => ({
    pointer: [...at, 'security_events', 'events', name],
    message: `no known event is called \`${name}\``,
    hint: didYouMean(name, securityEventNames) ?? `known events: ${securityEventNames.join(', ')}`,
    atKey: true,
  }));
}

/** A logout token names users by `sub`. */
function claimFaults({ at, value: { backchannel_logout, security_events } }: Server): readonly Finding[] {
  if (backchannel_logout === undefined || (security_events?.subject_claim ?? 'sub') === 'sub') return [];
  const message = 'logout tokens name users by `sub`, but these events name users by another claim';
  const hint = 'remove `subject_claim`, or `backchannel_logout`';
  return [{ pointer: [...at, 'security_events', 'subject_claim'], message, hint }];
}

function feedFaults({ at, value }: Server): readonly Finding[] {
  if (!reportsEnds(value) || value.events === undefined || value.events === 'none') return [];
  const message =
    'the server would report revocations twice: by the feed in `events`, and by logout tokens or security events';
  return [
    {
      pointer: [...at, 'events'],
      message,
      hint: 'remove `events`, or remove `backchannel_logout` and `security_events`',
      atKey: true,
    },
  ];
}

const isShared = ({ config: { counters } }: GatewaySubject) => countersParts(counters).url !== 'memory';

const SHARE = 'write `counters: redis://…`, so that every replica hears of each report';

/** A report arrives at one replica only. */
function replicaFaults(subject: GatewaySubject): readonly Finding[] {
  const { admin } = subject.config;
  const replicas = admin === undefined ? [] : (adminParts(admin).replicas ?? []);
  if (replicas.length === 0 || isShared(subject)) return [];
  return subject.servers
    .filter(({ value }) => reportsEnds(value))
    .map(({ at, value }) => ({
      pointer: [...at, value.backchannel_logout === undefined ? 'security_events' : 'backchannel_logout'],
      message: `\`admin.replicas\` names other replicas (${subject.around.cite(['admin'])}), and they would not hear of these reports`,
      hint: SHARE,
      atKey: true,
    }));
}

function placeFaults(subject: GatewaySubject): readonly Finding[] {
  if (subject.config.receiver?.file === undefined || !isShared(subject)) return [];
  const message = 'received events are in the Redis of `counters`, so they need no file';
  return [{ pointer: ['receiver', 'file'], message, hint: 'remove `file`', atKey: true }];
}

function restartFaults(subject: GatewaySubject): readonly Finding[] {
  const { receiver } = subject.config;
  // Without a listener, only polls bring reports.
  const reporting = subject.servers.find(({ value }) =>
    receiver === undefined ? value.security_events?.poll !== undefined : reportsEnds(value),
  );
  if (reporting === undefined || receiver?.file !== undefined || isShared(subject)) return [];
  return [
    {
      pointer: receiver === undefined ? [...reporting.at, 'security_events'] : ['receiver'],
      severity: 'warning',
      message: 'a restart deletes the received reports, and then tokens of ended sessions pass again',
      hint: `write \`receiver: { listen: …, file: received-events.jsonl }\`; with several replicas, ${SHARE}`,
      atKey: true,
    },
  ];
}

function urlFaults({ at, value: { backchannel_logout, security_events } }: Server, development: boolean) {
  return [
    ...endpointFaults([...at, 'backchannel_logout', 'relay_to'], backchannel_logout?.relay_to, development),
    ...endpointFaults([...at, 'security_events', 'jwks_uri'], security_events?.jwks_uri, development),
    ...endpointFaults([...at, 'security_events', 'poll', 'url'], security_events?.poll?.url, development),
  ];
}

function secretFaults({ servers, config: { receiver } }: GatewaySubject): readonly Finding[] {
  const isOpen = receiver !== undefined && receiver.listen.tls === undefined && !isLoopback(receiver.listen.host);
  if (!isOpen || !servers.some(({ value }) => value.security_events?.push !== undefined)) return [];
  return [
    {
      pointer: ['receiver', 'listen'],
      severity: 'warning',
      message:
        'other machines can reach this listener without TLS, so others may read the `authorization` of pushed events',
      hint: 'write { host, port, tls: { cert, key } }, or put a proxy with TLS in front of a loopback address',
    },
  ];
}
