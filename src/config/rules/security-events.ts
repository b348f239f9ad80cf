import type { EventReceiverConfig } from '../schema/security-events.ts';
import type { Finding } from '../words/problem.ts';
import { endpointFaults } from '../words/url-rules.ts';
import { type Checks, type Member, repeated } from './checks.ts';
import type { AuthorizationSubject } from './subject.ts';

type Receiver = Member<EventReceiverConfig>;

/** Rules for the receivers of security events. */
export const securityEventChecks: Checks<AuthorizationSubject> = {
  'addresses of receivers': ({ receivers, config }) =>
    receivers.flatMap(({ at, value }) => endpointFaults([...at, 'url'], value.url, config.development)),
  'names of receivers': ({ receivers, around }) =>
    repeated(receivers, ({ value }) => value.id).map(([{ at, value }, earlier]) => ({
      pointer: [...at, 'id'],
      message: `the id \`${value.id}\` is also the id of the receiver at ${around.cite([...earlier.at, 'id'])}`,
      hint: 'choose another id',
    })),
  'credentials of receivers': ({ receivers }) => receivers.flatMap(credentialFaults),
  'events of receivers': ({ receivers }) => receivers.flatMap(eventFaults),
};

/** RFC 9110 §5.5. Others could not be sent. */
function credentialFaults({ at, value: { authorization } }: Receiver): readonly Finding[] {
  if (authorization === undefined || /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(authorization)) return [];
  const message = 'a header cannot have this value';
  return [{ pointer: [...at, 'authorization'], message, hint: 'write printable ASCII, such as `Bearer …`' }];
}

function eventFaults({ at, value: { events } }: Receiver): readonly Finding[] {
  if (events.length > 0) return [];
  const hint = 'name events, leave out `events` to send all events, or remove the receiver';
  return [{ pointer: [...at, 'events'], message: 'the receiver would get no event', hint }];
}
