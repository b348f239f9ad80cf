import { printableValue } from '../../base/printable.ts';
import type { LiveSink } from './follow-replicas.ts';

/** Prints a text that is not part of the output. */
export function tellLive(text: string): void {
  process.stderr.write(`gatehouse: ${printableValue(text)}\n`);
}

/** Reports each gateway that is lost, refuses, or comes back: once, until this changes. */
export function stateReporter(tell: (text: string) => void): LiveSink {
  const lost = new Set<string>();
  return (replica, event) => {
    if (event.kind === 'connected' && lost.delete(replica.name)) tell(`${replica.url}: connected again`);
    if (event.kind === 'refused') tell(`${replica.url}: ${event.detail}`);
    if (event.kind !== 'lost' || lost.has(replica.name)) return;
    lost.add(replica.name);
    tell(`${replica.url}: ${event.detail}. Trying again`);
  };
}
