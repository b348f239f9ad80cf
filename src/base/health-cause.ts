import type { Health } from './health.ts';
import { printableValue } from './printable.ts';

/** Characters of one fault. */
const LONGEST = 300;

/** A fault for the `cause` of /readyz: one line of bounded length. */
export function shownCause(fault: string): string {
  return printableValue(fault.length > LONGEST ? `${fault.slice(0, LONGEST)}…` : fault);
}

/** For a listener that strangers may reach. A cause may contain the internal hostname of a server or a database. */
export function withoutCause(health: Health): Health {
  const notReady = async () => {
    const fault = await health.notReady();
    return fault && { reason: fault.reason };
  };
  return { ...health, notReady };
}
