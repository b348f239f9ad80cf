import { isIP } from 'node:net';
import { printableValue } from '../../base/printable.ts';
import { type Decision, recordedIdentity } from './decision-record.ts';
import { traceIdOf } from './trace-context.ts';
import { pathOf, refererOf, userAgentOf } from './without-tokens.ts';

/** The version of the Elastic Common Schema that defines these fields. */
const VERSION = '8.17.0';

/** One JSON object in the Elastic Common Schema. `began`: milliseconds since the epoch. */
export function ecsLine(decision: Decision, began: number): string {
  const { head, outcome, code, requestId, status, bytesIn, bytesOut } = decision;
  const identity = recordedIdentity(outcome);
  const client = clientOf(head.origin.address);
  const line = {
    '@timestamp': new Date(began).toISOString(),
    ecs: { version: VERSION },
    event: { ...ACCESS, code, outcome: outcomeOf(status), duration: Math.round(decision.milliseconds * 1e6) },
    http: {
      version: head.version === '2.0' ? '2' : head.version,
      request: { id: requestId, method: head.method, referrer: refererOf(head), body: { bytes: bytesIn } },
      response: { status_code: status, body: { bytes: bytesOut } },
    },
    url: { path: pathOf(head) },
    client,
    source: client,
    ...(identity === undefined ? {} : { user: { id: identity.subject } }),
    user_agent: { original: userAgentOf(head) },
    trace: { id: decision.traceId ?? traceIdOf(head) },
    gatehouse: { route: outcome?.route?.id || undefined, client_id: identity?.clientId },
  };
  return JSON.stringify(line, (_, value) => (typeof value === 'string' ? printableValue(value) : keptOf(value)));
}

const ACCESS = { kind: 'event', category: ['web'], type: ['access'], dataset: 'gatehouse.access' };

function outcomeOf(status: number | undefined): 'success' | 'failure' | 'unknown' {
  if (status === undefined) return 'unknown';
  return status < 400 ? 'success' : 'failure';
}

function clientOf(address: string) {
  return isIP(address) === 0 ? { address } : { address, ip: address };
}

/** Leaves out objects without any known value. */
function keptOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.values(value).every((each) => each === undefined) ? undefined : value;
}
