import { request } from 'undici';
import { metadataUrls } from '../../oauth/metadata.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { RemoteView } from './remote-server.ts';
import type { DoctorContext, Subject } from './subject.ts';

/** Milliseconds. `allowed`: by how much clocks may differ before something is refused. */
export interface ClockDifference {
  readonly theirs: number;
  readonly ours: number;
  readonly allowed: number;
  /** What comes of it. */
  readonly harm: string;
}

/** An answer takes half the time on its way; a Date header has whole seconds. */
const BLUR = 1_500;
const NTP = 'set both clocks by NTP';

/** More than half of what is allowed will be all of it soon. */
export function judgeClocks({ theirs, ours, allowed, harm }: ClockDifference): Seen {
  const difference = theirs - ours;
  const size = Math.max(0, Math.abs(difference) - BLUR);
  const shown = `its clock is ${(Math.abs(difference) / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} ours`;
  if (size > allowed) return bad(`${shown}, more than the ${allowed / 1000} s that are allowed: ${harm}`, NTP);
  return size > allowed / 2
    ? doubtful(`${shown}, of ${allowed / 1000} s that are allowed`, NTP)
    : good(size === 0 ? 'agrees with ours' : shown);
}

/** `exp`, `nbf` and `iat` are read by our clock and written by theirs, which the Date field of an answer tells. */
export function serverClock(view: RemoteView): readonly DoctorProbe[] {
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
  // another probe reports that nothing answers
  if (date === undefined) return [];
  const theirs = Date.parse(date);
  if (Number.isNaN(theirs)) return [doubtful('it sends no Date field', 'check whether a proxy removes the Date field')];
  const harm = 'the gateway treats valid tokens as expired or not yet valid';
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

/** No token that this program sees was issued before it was written, and a clock without a battery starts at 1970. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** Seconds of 32 bits with a sign end here, and certificates long before. */
const LATEST = Date.UTC(2038, 0, 19);

/** Whether this machine knows roughly what time it is. */
export function wallClock(_: Subject, { clock }: Pick<DoctorContext, 'clock'>): readonly DoctorProbe[] {
  const look = () => {
    const now = clock.now();
    const shown = new Date(now).toISOString();
    if (now >= EARLIEST && now < LATEST) return good(shown);
    return bad(`${shown} cannot be`, 'set the clock, and let NTP keep it: tokens and certificates are judged by it');
  };
  return [{ about: 'the clock of this machine', look }];
}
