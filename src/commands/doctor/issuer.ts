import { isLoopback } from '../../config/host.ts';
import { listenerUrl } from '../listener-url.ts';
import { remedyFor } from './connection-fault.ts';
import { bad, doubtful, good, type Probe, type Seen } from './finding.ts';
import { issuerAt } from './issuer-at.ts';
import type { Around, AuthorizationSubject } from './subject.ts';

/** Clients and gateways reach the service by its issuer identifier, whatever stands in between. */
export function issuer(subject: AuthorizationSubject, around: Around): readonly Probe[] {
  return [{ about: `issuer ${subject.config.issuer}`, look: () => lookAt(subject.config, around) }];
}

type Named = AuthorizationSubject['config'];

async function lookAt({ issuer: named, listen, development }: Named, around: Around): Promise<Seen> {
  const fault = await issuerAt({ issuer: named, development }, around);
  if (fault === undefined) return good('reached by its own name, and its metadata agree');
  const url = new URL(named);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (isLoopback(url.hostname) && url.protocol === 'http:' && listen.port !== 0 && port !== listen.port)
    return bad(
      `${fault}; it names the port ${port} of this machine, and \`listen\` has ${listen.port}`,
      'give both the same port, or let a proxy lead from one to the other',
    );
  if (listen.port === 0 || (await runs(named, listen, development, around)))
    return bad(
      `the service runs at ${listenerUrl(listen, '')}, and is not reached by its issuer: ${fault}`,
      remedyFor(fault, 'let the proxy in front lead the whole path on, the well-known part too (RFC 8414 §3.1)'),
    );
  return doubtful(`the service does not run at the moment: ${fault}`, 'start it, and ask again');
}

async function runs(named: string, listen: Named['listen'], development: boolean, around: Around): Promise<boolean> {
  return (await issuerAt({ issuer: named, development, at: listenerUrl(listen, '') }, around)) === undefined;
}
