import { randomBytes } from 'node:crypto';
import { lacksClient } from '../../gateway/verify/authorization-server.ts';
import { clientAssertion } from '../../gateway/verify/client-assertion.ts';
import type { FailedFetch } from '../../gateway/verify/fetch-json.ts';
import { judgeAnswer } from '../../gateway/verify/introspection-answer.ts';
import { askAboutToken } from '../../gateway/verify/introspection-client.ts';
import { remedyFor } from './connection-fault.ts';
import { bad, doubtful, good, type Probe, type Seen } from './finding.ts';
import type { RemoteView } from './remote-view.ts';
import { introspects } from './server-uses.ts';

/** The endpoint takes who we say we are, and knows nothing of a token that nobody gave out (RFC 7662 §2.2, §2.3). */
export function serverIntrospection(view: RemoteView): readonly Probe[] {
  const { name, config } = view;
  if (lacksClient(config)) return [{ about: `${name} introspection`, look: () => lookForClient(view) }];
  if (!introspects(config)) return [];
  return [
    { about: `${name} introspection as ${config.client_id ?? 'nobody'}`, look: (signal) => lookAt(view, signal) },
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

async function lookAt(view: RemoteView, signal: AbortSignal): Promise<readonly Seen[]> {
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
    return [good('takes our credentials; a token made up is not active')];
  if (verdict.kind === 'babble')
    return [
      bad(`${endpoint} does not answer as RFC 7662 has it: ${verdict.detail}`, 'correct `introspection_endpoint`'),
    ];
  return [
    bad(`${endpoint} calls a token active that was made up`, 'it lets everybody in: correct `introspection_endpoint`'),
  ];
}

function failure({ detail, status }: FailedFetch, endpoint: string, { config }: RemoteView): Seen {
  if (status !== 401 && status !== 403)
    return bad(`${endpoint}: ${detail}`, remedyFor(detail, 'correct `introspection_endpoint`; its log may tell more'));
  return bad(
    `${endpoint} refuses our credentials: ${detail}`,
    `compare client_id, its secret and \`introspection_endpoint_auth_method: ${config.introspection_endpoint_auth_method}\` with how the client is registered there`,
  );
}
