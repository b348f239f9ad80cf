import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'undici';
import { metadataUrls } from '../../oauth/metadata.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { RemoteView } from './remote-server.ts';
import type { DoctorContext, Subject } from './subject.ts';

/** Milliseconds. `allowed`: a larger difference makes something fail. */
export interface ClockDifference {
  readonly theirs: number;
  readonly ours: number;
  readonly allowed: number;
  /** The effect of a larger difference. */
  readonly harm: string;
}

/** The delay of the answer adds uncertainty, and a Date header has whole seconds. */
const BLUR = 1_500;
const NTP = 'set both clocks by NTP';

/** Warns from half of the allowed difference on. */
export function judgeClocks({ theirs, ours, allowed, harm }: ClockDifference): Seen {
  const difference = theirs - ours;
  const size = Math.max(0, Math.abs(difference) - BLUR);
  const shown = `its clock is ${(Math.abs(difference) / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} ours`;
  if (size > allowed) return bad(`${shown}, more than the ${allowed / 1000} s that are allowed: ${harm}`, NTP);
  return size > allowed / 2
    ? doubtful(`${shown}; at most ${allowed / 1000} s are allowed`, NTP)
    : good(size === 0 ? 'agrees with ours' : shown);
}

/** The server writes `exp`, `nbf` and `iat` by its clock, and we read them by ours. The Date field tells the server's clock. */
export function serverClock(view: RemoteView): readonly DoctorProbe[] {
  const url = anAddress(view);
  return url === undefined || view.trust.kind === 'none'
    ? []
    : [{ about: `${view.name} clock`, look: (signal) => lookAt(url, view, signal) }];
}

/** Any URL of the server: an answer with any status has a date, if the server has a clock (RFC 9110 §6.6.1). */
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
  const answered = await headersOf(url, { agent, signal });
  // Another probe reports that nothing answers.
  if (answered === undefined) return [];
  const { date } = answered;
  if (date === undefined) return [good('not compared with ours: the server sends no Date field')];
  const theirs = Date.parse(String(date));
  if (Number.isNaN(theirs))
    return [doubtful('its Date field is not a date', 'check the server and the proxies in front of it')];
  const harm = 'the gateway treats valid tokens as expired or not yet valid';
  return [judgeClocks({ theirs, ours: clock.now(), allowed: config.clock_skew, harm })];
}

async function headersOf(
  url: string,
  { agent, signal }: Pick<RemoteView, 'agent'> & { signal: AbortSignal },
): Promise<IncomingHttpHeaders | undefined> {
  try {
    const { headers, body } = await request(url, { dispatcher: agent, signal });
    body.on('error', () => {}).destroy();
    return headers;
  } catch {
    return undefined;
  }
}

/** This program was written later, so no token is older. A clock without a battery starts at 1970. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** Signed seconds of 32 bits end in 2038. Certificates expire long before. */
const LATEST = Date.UTC(2038, 0, 19);

/** The clock of this machine is plausible. */
export function wallClock(_: Subject, { clock }: Pick<DoctorContext, 'clock'>): readonly DoctorProbe[] {
  const look = () => {
    const now = clock.now();
    const shown = new Date(now).toISOString();
    if (now >= EARLIEST && now < LATEST) return good(shown);
    return bad(
      `${shown} cannot be right`,
      'set the clock, and let NTP keep it right: tokens and certificates depend on it',
    );
  };
  return [{ about: 'the clock of this machine', look }];
}
