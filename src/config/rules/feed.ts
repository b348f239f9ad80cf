import type { AuthorizationServerConfig, RouteFile } from '../schema/gateway.ts';
import type { Finding } from '../words/problem.ts';
import { endpointFaults } from '../words/url-rules.ts';
import type { Checks, Member } from './checks.ts';
import { mayHaveFeed, reportsEnds, trustsSignatures, UNHEARD } from './follows-feed.ts';
import type { GatewaySubject } from './subject.ts';

type Server = Member<AuthorizationServerConfig>;

/** Rules for revocations, and for the feed that reports them. */
export const feedChecks: Checks<GatewaySubject> = {
  events: ({ servers, config }) =>
    servers.flatMap(({ at, value }) =>
      value.events === 'none' ? [] : endpointFaults([...at, 'events'], value.events, config.development),
    ),
  'client for events': ({ servers }) => servers.flatMap(clientFaults),
  'revocations without a feed': ({ servers }) => servers.flatMap(unheardFaults),
  'silence of a feed': ({ servers }) => servers.flatMap(silenceFaults),
  'what a silent feed means': ({ servers }) => servers.flatMap(consequences),
  'address of keys of users': ({ servers, config }) =>
    servers.flatMap(({ at, value }) =>
      templateFaults([...at, 'user_key_uri_template'], value.user_key_uri_template, config.development),
    ),
  'streams that end with their token': ({ routes }) => routes.flatMap(endingFaults),
};

function follows({ events }: AuthorizationServerConfig): boolean {
  return events !== undefined && events !== 'none';
}

function clientFaults({ at, value }: Server): readonly Finding[] {
  if (!follows(value) || (value.client_id !== undefined && value.client_secret !== undefined)) return [];
  return [
    {
      pointer: [...at, 'events'],
      message: '`events` needs `client_id` and `client_secret`',
      hint: 'write both for a client that may follow the feed; at a Gatehouse service, this is a client with `events: true`',
      atKey: true,
    },
  ];
}

/** Keys of single users exist so that one user's tokens can end. Only the feed reports this. */
function unheardFaults({ at, value }: Server): readonly Finding[] {
  const isMeant = value.user_key_uri_template === undefined || value.events === 'none';
  if (isMeant || mayHaveFeed(value) || reportsEnds(value) || !trustsSignatures(value)) return [];
  return [
    {
      pointer: [...at, 'user_key_uri_template'],
      severity: 'warning',
      message: `the gateway follows no revocation feed: ${UNHEARD}`,
      hint: HEAR,
      atKey: true,
    },
  ];
}

/** Hint: the settings with which the gateway learns of revocations. */
export const HEAR =
  'write `client_id` and `client_secret` of a client that has `events: true` at the authorization service; or, if you want no feed, write `events: none`';

/** Milliseconds: the time of three comments of the feed. */
const SHORTEST = 15_000;
const LONGEST = 3_600_000;

function silenceFaults({ at, value }: Server): readonly Finding[] {
  const { max_staleness } = value;
  if (max_staleness >= SHORTEST && max_staleness <= LONGEST) return [];
  return [
    {
      pointer: [...at, 'max_staleness'],
      message: 'this time must be from 15s to 1h',
      hint: 'the feed sends a line every 5 s, so with less than 15s, a short delay counts as silence; with more than 1h, a revocation could stay unnoticed',
    },
  ];
}

/** One sentence for each policy, so that an operator does not learn it from an outage. */
function consequences({ at, value }: Server): readonly Finding[] {
  if (!follows(value) || value.on_stale !== 'allow') return [];
  return [
    {
      pointer: [...at, 'on_stale'],
      severity: 'warning',
      message: `if the feed is silent for more than ${value.max_staleness / 1000} s, revoked JWTs pass until their \`exp\``,
      hint: 'write `introspect`: while the feed is silent, the gateway asks the server about each JWT; or write `deny`: while the feed is silent, the gateway answers 503',
    },
  ];
}

/** The sentence of `check` about each feed. It tells what happens to requests while the feed is silent. */
export function staleSentence({ name, value }: Server): string | undefined {
  if (!follows(value)) return undefined;
  const when = `When the revocation feed of \`${name}\` is silent for more than ${value.max_staleness / 1000} s`;
  return `${when}, ${outcomes[value.on_stale](value)}.`;
}

const outcomes: Record<AuthorizationServerConfig['on_stale'], (server: AuthorizationServerConfig) => string> = {
  introspect: ({ cache }) =>
    `the gateway also introspects each JWT of this server, ${cache.max_concurrent} at a time, and answers 503 if the introspection fails`,
  deny: () => 'the gateway answers 503 to each JWT of this server that it verifies locally',
  allow: () => 'JWTs of this server pass until their `exp`, even revoked JWTs',
};

function templateFaults(
  at: readonly (string | number)[],
  template: string | undefined,
  development: boolean,
): readonly Finding[] {
  const faults = endpointFaults(at, template?.replaceAll('{kid}', 'kid'), development);
  if (template === undefined || faults.length > 0) return faults;
  const expressions = template.match(/\{[^}]*\}/g) ?? [];
  if (expressions.length === 1 && expressions[0] === '{kid}') return [];
  return [
    {
      pointer: at,
      message: 'the template needs `{kid}` exactly once, and no other braces',
      hint: 'such as https://auth.example.com/oauth2/keys/{kid}',
    },
  ];
}

/** A route that reads no token has no token that could end. */
function endingFaults({ at, value }: Member<RouteFile>): readonly Finding[] {
  if (value.end_with !== 'token' || value.access !== 'public') return [];
  return [
    {
      pointer: [...at, 'end_with'],
      message: '`end_with: token` on a public route has no effect: the route reads no token',
      hint: 'remove it, or require a token in the route',
      atKey: true,
    },
  ];
}
