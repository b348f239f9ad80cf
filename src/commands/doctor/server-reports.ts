import { request } from 'undici';
import { reportsEnds } from '../../config/rules/follows-feed.ts';
import { fetchFault } from '../../gateway/server-client/fetch-json.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { RemoteView } from './remote-server.ts';

/** A server that reports logouts and security events itself. */
export function serverReports(view: RemoteView): readonly DoctorProbe[] {
  const { backchannel_logout, security_events } = view.config;
  if (!reportsEnds(view.config)) return [];
  const url = security_events?.poll?.url;
  return [
    ...(backchannel_logout === undefined ? [] : [{ about: `${view.name} logouts`, look: () => canReport(view) }]),
    ...(url === undefined
      ? []
      : [{ about: `${view.name} security events`, look: (signal: AbortSignal) => poll(view, url, signal) }]),
  ];
}

const SUPPORTED = 'backchannel_logout_supported';

/** OpenID Connect Back-Channel Logout §2.1. A server may support it without saying so. */
async function canReport({ config, fetch }: RemoteView): Promise<Seen> {
  const url = `${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch({ url, signal: AbortSignal.timeout(5_000) });
  if (answer.kind === 'failed')
    return doubtful(
      `the server's metadata cannot be read: ${answer.detail}`,
      faultRemedy(answer.detail, 'make sure that `issuer` is right'),
    );
  if (answer.value[SUPPORTED] === true) return good('the server can report them, and `receiver` accepts them');
  return doubtful(
    `the server's metadata has no \`${SUPPORTED}\``,
    'see in the manual of the server whether it sends logout tokens',
  );
}

/** Asks for no event, and confirms none (RFC 8936 §2.4). */
async function poll({ config, agent }: RemoteView, url: string, signal: AbortSignal): Promise<Seen> {
  const authorization = config.security_events?.poll?.authorization;
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      signal,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify({ maxEvents: 0, returnImmediately: true }),
    });
    await body.dump();
    if (statusCode === 200) return good('the server answers polls');
    return bad(`HTTP ${statusCode}`, 'correct `url` and `authorization` of `poll`');
  } catch (error) {
    const detail = fetchFault(error);
    return bad(detail, faultRemedy(detail, 'correct `url` of `poll`'));
  }
}
