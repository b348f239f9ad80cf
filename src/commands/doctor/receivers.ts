import { buildOutbound, type FetchOutcome, type Outbound } from '../../authorization/outbound/outbound.ts';
import { trustOf } from '../../config/files/trust.ts';
import type { EventReceiverConfig } from '../../config/schema/security-events.ts';
import { faultRemedy } from './faults.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedServiceFile } from './subject.ts';

/** Each receiver of security events answers, and accepts our credentials. The probe has no token, so it reports nothing. */
export function receivers({ config, directory }: LoadedServiceFile, { opened }: DoctorContext): readonly DoctorProbe[] {
  const { outbound, development, security_events } = config;
  if (security_events.receivers.length === 0) return [];
  const fetch = opened.adopt(
    buildOutbound({ outbound, development, trust: trustOf(outbound, { directory }) }),
    (each) => each.close(),
  );
  return security_events.receivers.map((receiver) => ({
    about: `security_events.receivers ${receiver.id} ${receiver.url}`,
    look: async () => judge(await ask(fetch, receiver)),
  }));
}

function ask(fetch: Outbound, { url, authorization }: EventReceiverConfig): Promise<FetchOutcome> {
  const credentials = authorization === undefined ? {} : { authorization };
  return fetch.postText(url, '', {
    'content-type': 'application/secevent+jwt',
    accept: 'application/json',
    ...credentials,
  });
}

/** RFC 8935 §2.4: a receiver answers 400 to a request without a token. */
function judge(outcome: FetchOutcome): Seen {
  if (outcome.kind === 'forbidden')
    return bad(outcome.reason, 'add the network of the receiver to `outbound: { private_addresses }`');
  if (outcome.kind !== 'answered')
    return bad(outcome.reason, faultRemedy(outcome.reason, 'check that the receiver runs, or correct `url`'));
  const { status } = outcome;
  if (status === 400 || (status >= 200 && status < 300)) return good('answers, and accepts our credentials');
  const told = `answers ${status} to a request without a token`;
  if (status === 401 || status === 403) return bad(told, 'compare `authorization` with the value at the receiver');
  if (status >= 500) return doubtful(told, 'see the log of the receiver');
  return bad(told, 'correct `url`');
}
