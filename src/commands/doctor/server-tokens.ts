import { randomBytes } from 'node:crypto';
import { introspects } from '../../config/schema/introspects.ts';
import { clientAssertion } from '../../gateway/server-client/client-assertion.ts';
import type { FailedFetch } from '../../gateway/server-client/fetch-json.ts';
import { askAboutToken } from '../../gateway/server-client/introspection-client.ts';
import { keySet } from '../../gateway/server-client/key-set.ts';
import { keySourceOf } from '../../gateway/server-client/key-source.ts';
import type { RequiredMember } from '../../gateway/server-client/metadata.ts';
import { lacksClient } from '../../gateway/verify/authorization-server.ts';
import { judgeAnswer } from '../../gateway/verify/introspection-answer.ts';
import type { RefusedKey } from '../../jwt/keys.ts';
import { metadataUrls } from '../../oauth/metadata.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import { membersNeeded, publishedAlgorithms, type RemoteView } from './remote-server.ts';

/** RFC 8414 §3.3: it can be fetched, is of this issuer, and says what the file does not. */
export function serverMetadata(view: RemoteView): readonly DoctorProbe[] {
  const members = membersNeeded(view.config);
  if (members.length === 0) return [];
  return [{ about: `${view.name} metadata`, look: () => lookAtMetadata(view, members) }];
}

/** What is wrong with all of it is said once. */
async function lookAtMetadata(
  { config, about }: RemoteView,
  members: readonly RequiredMember[],
): Promise<readonly Seen[]> {
  const seen = await Promise.all(
    members.map(async (member) => {
      const found = await about.endpoint(member);
      if (typeof found === 'string') return good(`of this issuer; ${member} is ${found}`);
      return bad(found.detail, faultRemedy(found.detail, remedy(config.issuer, members)));
    }),
  );
  return [...new Map(seen.map((each) => [each.message, each])).values()];
}

function remedy(issuer: string, members: readonly RequiredMember[]): string {
  const [url] = URL.canParse(issuer) ? metadataUrls(issuer) : [issuer];
  const named = members.map((member) => `\`${member}\``).join(' and ');
  return `\`curl ${url}\` shows what is there: \`issuer\` must be what it says, byte by byte; without metadata write ${named} into the file`;
}

/** They can be fetched, and at least one fits an algorithm that is accepted. */
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
  // that the metadata names none is a finding of its own
  if (membersNeeded(config).includes('jwks_uri') && typeof (await about.endpoint('jwks_uri')) !== 'string') return [];
  const { fault, refused } = await load(view);
  const accepted = config.algorithms.join(', ');
  const left = refused.map(({ kid = 'without a kid', reason }) =>
    doubtful(`the key ${kid} is not used: ${reason}`, `accepted are ${accepted} (\`algorithms\`)`),
  );
  if (fault === undefined) return [good(`at least one is usable for ${accepted}`), ...left];
  return [
    bad(
      fault,
      faultRemedy(
        fault,
        `the key set must have a public key for one of ${accepted}, or \`algorithms\` name what it has`,
      ),
    ),
  ];
}

interface Loaded {
  readonly fault: string | undefined;
  readonly refused: readonly RefusedKey[];
}

/** As the gateway takes them, once. */
async function load({ config, directory, clock, fetch, about, opened }: RemoteView): Promise<Loaded> {
  const { ttl, cooldown, stale_if_error: staleIfError } = config.jwks;
  let fault: string | undefined;
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
      failed: (detail) => {
        fault = detail;
      },
      recovered() {},
    },
  });
  opened.defer(() => keys.close());
  await keys.start();
  return { fault, refused };
}

/** The endpoint accepts our credentials, and does not know an invented token (RFC 7662 §2.2, §2.3). */
export function serverIntrospection(view: RemoteView): readonly DoctorProbe[] {
  const { name, config } = view;
  if (lacksClient(config)) return [{ about: `${name} introspection`, look: () => lookForClient(view) }];
  if (!introspects(config)) return [];
  return [
    {
      about: `${name} introspection as ${config.client_id ?? 'nobody'}`,
      look: (signal) => lookAtIntrospection(view, signal),
    },
  ];
}

/** A server that can be asked may well give out tokens that are no JWTs. What its metadata lacks is a finding of its own. */
async function lookForClient({ about }: RemoteView): Promise<readonly Seen[]> {
  const endpoint = await about.endpoint('introspection_endpoint');
  if (typeof endpoint !== 'string') return [];
  return [
    doubtful(
      `${endpoint} is there, and the file has no client_id to ask it: opaque tokens get 401 token_malformed`,
      'register a client for the gateway there and write its `client_id` and `client_secret`; where all tokens are JWTs, `verify: jwt` says so',
    ),
  ];
}

async function lookAtIntrospection(view: RemoteView, signal: AbortSignal): Promise<readonly Seen[]> {
  const { config, about, fetch, clock, directory } = view;
  const endpoint = config.introspection_endpoint ?? (await about.endpoint('introspection_endpoint'));
  // that the metadata names none is a finding of its own
  if (typeof endpoint !== 'string') return [];
  const ask = askAboutToken(config, fetch, clientAssertion(config, { clock, directory }));
  const token = `${config.token_prefix ?? ''}${randomBytes(32).toString('base64url')}`;
  const answer = await ask(endpoint, token, signal);
  if (answer.kind === 'failed') return [failure(answer, endpoint, view)];
  const rules = { issuer: config.issuer, now: clock.now() / 1000, skew: 0, maxLifetime: config.max_token_lifetime };
  const verdict = judgeAnswer(answer.value, rules);
  if (verdict.kind === 'refused' && verdict.code === 'token_inactive')
    return [good('takes our credentials; it reports an invented token as inactive')];
  if (verdict.kind === 'babble')
    return [bad(`${endpoint} gives no answer of RFC 7662: ${verdict.detail}`, 'correct `introspection_endpoint`')];
  return [
    bad(`${endpoint} reports an invented token as active`, 'it accepts every token: correct `introspection_endpoint`'),
  ];
}

function failure({ detail, status }: FailedFetch, endpoint: string, { config }: RemoteView): Seen {
  if (status !== 401 && status !== 403)
    return bad(
      `${endpoint}: ${detail}`,
      faultRemedy(detail, 'correct `introspection_endpoint`; its log may tell more'),
    );
  return bad(
    `${endpoint} refuses our credentials: ${detail}`,
    `compare client_id, its secret and \`introspection_endpoint_auth_method: ${config.introspection_endpoint_auth_method}\` with how the client is registered there`,
  );
}
