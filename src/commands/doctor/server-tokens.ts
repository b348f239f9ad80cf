import { randomBytes } from 'node:crypto';
import { introspects } from '../../config/schema/introspects.ts';
import { clientAssertion } from '../../gateway/server-client/client-assertion.ts';
import type { FailedFetch } from '../../gateway/server-client/fetch-json.ts';
import { askAboutToken } from '../../gateway/server-client/introspection-client.ts';
import { keySet, NO_KEY_SET, TOO_MANY_KEYS } from '../../gateway/server-client/key-set.ts';
import { keySourceOf } from '../../gateway/server-client/key-source.ts';
import type { RequiredMember } from '../../gateway/server-client/metadata.ts';
import { lacksClient } from '../../gateway/verify/authorization-server.ts';
import { judgeAnswer } from '../../gateway/verify/introspection-answer.ts';
import { FOR_ENCRYPTION, type RefusedKey } from '../../jwt/keys.ts';
import { serverRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import { membersNeeded, publishedAlgorithms, type RemoteView } from './remote-server.ts';

/** The metadata can be fetched, belong to this issuer, and have all that the file leaves out (RFC 8414 §3.3). */
export function serverMetadata(view: RemoteView): readonly DoctorProbe[] {
  const members = membersNeeded(view.config);
  if (members.length === 0) return [];
  return [{ about: `${view.name} metadata`, look: () => lookAtMetadata(view, members) }];
}

/** A fault of the metadata as a whole is reported once. */
async function lookAtMetadata({ about }: RemoteView, members: readonly RequiredMember[]): Promise<readonly Seen[]> {
  const seen = await Promise.all(
    members.map(async (member) => {
      const found = await about.endpoint(member);
      if (typeof found === 'string') return good(`they name this issuer; ${member} is ${found}`);
      return metadataFault(found, members);
    }),
  );
  return [...new Map(seen.map((each) => [each.message, each])).values()];
}

/** The message names the URL once. */
function metadataFault({ detail, url }: FailedFetch, members: readonly RequiredMember[]): Seen {
  const message = url === undefined ? detail : `${url}: ${detail.replace(/^metadata: /, '')}`;
  const written = members.map((member) => `\`${member}\``).join(' and ');
  const correct = `correct \`issuer\`, or write ${written} into the file`;
  const rows = [
    [/ names the issuer /, ISSUER_DIFFERS],
    [/not of type JSON|not a valid JSON object/, `this is not the document of an authorization server: ${correct}`],
    [/^metadata (?:has no|names an http:) /, `write ${written} into the file`],
  ] as const;
  return bad(message, serverRemedy(detail, rows, correct));
}

const ISSUER_DIFFERS =
  'the `issuer` of the answer must be equal to `issuer` in the file, byte by byte: correct the one that is wrong';

/** The keys can be fetched, and at least one fits an accepted algorithm. */
export function serverKeys(view: RemoteView): readonly DoctorProbe[] {
  const { name, config } = view;
  if (publishedAlgorithms(config).length === 0) return [];
  return [{ about: `${name} keys${named(view)}`, look: () => lookAtKeys(view) }];
}

function named({ config: { jwks_uri, jwks_file } }: RemoteView): string {
  const place = jwks_file ?? jwks_uri;
  return place === undefined ? '' : ` ${place}`;
}

async function lookAtKeys(view: RemoteView): Promise<readonly Seen[]> {
  const { config, about } = view;
  // Another check reports metadata without `jwks_uri`.
  if (membersNeeded(config).includes('jwks_uri') && typeof (await about.endpoint('jwks_uri')) !== 'string') return [];
  const { fault, url, refused } = await load(view);
  const accepted = config.algorithms.join(', ');
  // A server may publish a key for encryption in the same set. This is no fault.
  const unexpected = refused.filter(({ reason }) => reason !== FOR_ENCRYPTION);
  const left = unexpected.map(({ kid = 'without a kid', reason }) =>
    doubtful(`the key ${kid} is not used: ${reason}`, `\`algorithms\` accepts ${accepted}`),
  );
  if (fault === undefined) return [good(`at least one is usable for ${accepted}`), ...left];
  return [keysFault(fault, url, view)];
}

/** The file may name the place of the keys. Then the subject of the finding names it too. */
function keysFault(fault: string, url: string | undefined, view: RemoteView): Seen {
  const { config } = view;
  const at = url === undefined || named(view) !== '' ? '' : `${url}: `;
  const place = placeOfKeys(config);
  const rows = [
    [NO_KEY_SET, `correct ${place}: it must name a key set`],
    [TOO_MANY_KEYS, 'remove old keys from the key set'],
    [/\bstatus 4\d\d\b|not a valid JSON object|the key file/, `correct ${place}`],
  ] as const;
  const publish = `publish a public key for one of ${config.algorithms.join(', ')}, or change \`algorithms\``;
  return bad(`${at}${fault}`, serverRemedy(fault, rows, publish));
}

function placeOfKeys({ jwks_file, jwks_uri }: RemoteView['config']): string {
  if (jwks_file !== undefined) return '`jwks_file`';
  return jwks_uri === undefined ? '`jwks_uri` in the metadata, or write `jwks_uri` into the file' : '`jwks_uri`';
}

interface Loaded {
  readonly fault: string | undefined;
  /** Where the keys were fetched. */
  readonly url: string | undefined;
  readonly refused: readonly RefusedKey[];
}

/** Loads the keys once, as the gateway does. */
async function load({ config, directory, clock, fetch, about, opened }: RemoteView): Promise<Loaded> {
  const { ttl, cooldown, stale_if_error: staleIfError } = config.jwks;
  let fault: string | undefined;
  let url: string | undefined;
  let refused: readonly RefusedKey[] = [];
  const told = (fields: object) => {
    if ('refused' in fields) refused = fields.refused as readonly RefusedKey[];
  };
  const keys = keySet({
    source: keySourceOf(config, { fetch, about, directory }),
    algorithms: publishedAlgorithms(config),
    ttl,
    cooldown,
    staleIfError,
    clock,
    log: { info: told, warn: told, error: told },
    faults: {
      failed: (detail, _level, from) => {
        fault = detail;
        url = from;
      },
      recovered() {},
    },
  });
  opened.defer(() => keys.close());
  await keys.start();
  return { fault, url, refused };
}

/** The endpoint accepts our credentials, and reports an invented token as inactive (RFC 7662 §2.2, §2.3). */
export function serverIntrospection(view: RemoteView): readonly DoctorProbe[] {
  const { name, config } = view;
  if (lacksClient(config)) return [{ about: `${name} introspection`, look: () => lookForClient(view) }];
  if (!introspects(config)) return [];
  return [
    {
      about: `${name} introspection ${config.client_id === undefined ? 'without client credentials' : `as ${config.client_id}`}`,
      look: (signal) => lookAtIntrospection(view, signal),
    },
  ];
}

/** A server with an introspection endpoint probably issues opaque tokens. Another check reports missing metadata. */
async function lookForClient({ about }: RemoteView): Promise<readonly Seen[]> {
  const endpoint = await about.endpoint('introspection_endpoint');
  if (typeof endpoint !== 'string') return [];
  return [
    doubtful(
      `${endpoint} exists, but the file has no client_id for it: opaque tokens get 401 token_malformed`,
      'register a client for the gateway there and write its `client_id` and `client_secret`; if all tokens are JWTs, write `verify: jwt`',
    ),
  ];
}

async function lookAtIntrospection(view: RemoteView, signal: AbortSignal): Promise<readonly Seen[]> {
  const { config, about, fetch, clock, directory } = view;
  const endpoint = config.introspection_endpoint ?? (await about.endpoint('introspection_endpoint'));
  // Another check reports metadata without this endpoint.
  if (typeof endpoint !== 'string') return [];
  const ask = askAboutToken(config, fetch, clientAssertion(config, { clock, directory }));
  const token = `${config.token_prefix ?? ''}${randomBytes(32).toString('base64url')}`;
  const answer = await ask(endpoint, token, signal);
  if (answer.kind === 'failed') return [failure(answer, endpoint, view)];
  const rules = { issuer: config.issuer, now: clock.now() / 1000, skew: 0, maxLifetime: config.max_token_lifetime };
  const verdict = judgeAnswer(answer.value, rules);
  if (verdict.kind === 'refused' && verdict.code === 'token_inactive')
    return [good('accepts our credentials, and reports an invented token as inactive; no real token was tried')];
  if (verdict.kind === 'babble')
    return [
      bad(`${endpoint} does not answer as RFC 7662 requires: ${verdict.detail}`, 'correct `introspection_endpoint`'),
    ];
  return [
    bad(
      `${endpoint} reports an invented token as active`,
      'this endpoint accepts every token: correct `introspection_endpoint`',
    ),
  ];
}

function failure({ detail, status }: FailedFetch, endpoint: string, { config }: RemoteView): Seen {
  if (status !== 401 && status !== 403)
    return bad(
      `${endpoint}: ${detail}`,
      serverRemedy(detail, [], 'correct `introspection_endpoint`, or read the log of the server'),
    );
  return bad(
    `${endpoint} refuses our credentials: ${detail}`,
    `compare client_id, its secret and \`introspection_endpoint_auth_method: ${config.introspection_endpoint_auth_method}\` with the client's registration at the authorization server`,
  );
}
