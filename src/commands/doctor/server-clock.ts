import { request } from 'undici';
import { metadataUrls } from '../../oauth/metadata.ts';
import { judgeClocks } from './clock-difference.ts';
import { doubtful, type Probe, type Seen } from './finding.ts';
import type { RemoteView } from './remote-view.ts';

/** `exp`, `nbf` and `iat` are read by our clock and written by theirs, which the Date field of an answer tells. */
export function serverClock(view: RemoteView): readonly Probe[] {
  const url = anAddress(view);
  return url === undefined || view.trust.kind === 'nobody'
    ? []
    : [{ about: `${view.name} clock`, look: (signal) => lookAt(url, view, signal) }];
}

/** Any will do: an answer of whatever status has a date (RFC 9110 §6.6.1). */
function anAddress({ config }: RemoteView): string | undefined {
  const { jwks_uri, introspection_endpoint, issuer, jwks_file, verify } = config;
  const named = jwks_uri ?? introspection_endpoint;
  if (named !== undefined) return named;
  if (jwks_file !== undefined || verify === 'store') return undefined;
  return /^https?:/.test(issuer) && URL.canParse(issuer) ? metadataUrls(issuer)[0] : undefined;
}

async function lookAt(
  url: string,
  { agent, clock, config }: RemoteView,
  signal: AbortSignal,
): Promise<readonly Seen[]> {
  const date = await dateOf(url, { agent, signal });
  // that nothing answers is told where something is asked
  if (date === undefined) return [];
  const theirs = Date.parse(date);
  if (Number.isNaN(theirs))
    return [doubtful('it does not say what time it is there', 'see whether a proxy takes the Date field away')];
  const harm = 'tokens are taken for expired, or for not yet valid';
  return [judgeClocks({ theirs, ours: clock.now(), allowed: config.clock_skew, harm })];
}

async function dateOf(
  url: string,
  { agent, signal }: Pick<RemoteView, 'agent'> & { signal: AbortSignal },
): Promise<string | undefined> {
  try {
    const { headers, body } = await request(url, { dispatcher: agent, signal });
    body.on('error', () => {}).destroy();
    return String(headers.date);
  } catch {
    return undefined;
  }
}
