import { remembering } from '../../base/remembered.ts';
import { fold } from '../../config/words/fold-name.ts';
import { connectionNames } from '../decide/framing.ts';
import type { Forward } from '../decide/outcome.ts';
import { forwardedHops, listNames, type RequestHead } from '../message/request-head.ts';
import { OF_HOP } from '../message/reserved-headers.ts';
import { addForwardingFields, type Sender, upstreamPeerOf } from './upstream-fields.ts';

/**
 * The header section of a request in shadow mode, if no route to its upstream enforces. The gateway forwards everything
 * unchanged, except hop-by-hop and framing fields (RFC 9110 §7.6.1) and the names that `set` writes. It adds its own
 * field only if the request has none of that name.
 */
export function shadowFields(received: readonly string[], head: RequestHead, plan: Forward, sender: Sender): string[] {
  const fields = ['host', sender.host];
  const there = new Set<string>();
  const named = connectionNames(head);
  const { identityHeaders } = plan.route;
  const replaced = sender.propagated?.replaced;
  for (let i = 0; i < received.length; i += 2) {
    const written = received[i] as string;
    const name = written.toLowerCase();
    if (isOfHop(name) || named?.has(name) || replaced?.has(name) || identityHeaders.spoofs(name, head.origin.isProxied))
      continue;
    there.add(name);
    const value = received[i + 1] as string;
    fields.push(written, name === 'max-forwards' ? forwardedHops(head, value) : value);
  }
  extendChain(fields, head);
  const ours: string[] = [];
  addForwardingFields(ours, head);
  ours.push(sender.requestIdHeader, sender.requestId);
  pushMissing(fields, there, ours);
  // If the gateway makes a span, this span is the parent of the upstream's (W3C Trace Context §3.4).
  fields.push(...(sender.propagated?.fields ?? []), 'via', `${head.version} gatehouse`);
  if (listNames(head.te, 'trailers')) fields.push('te', 'trailers');
  fields.push(...plan.identityHeaders);
  return fields;
}

/**
 * Matches every spelling. A server that folds names before it frames a message would otherwise see a different message.
 */
const isOfHop = remembering((name) => OF_HOP.has(name) || OF_HOP.has(fold(name)));

/** The peer goes to the end of the last line, because recipients join several lines to one list (RFC 9110 §5.3). */
function extendChain(fields: string[], head: RequestHead): void {
  const peer = upstreamPeerOf(head);
  for (let i = fields.length - 2; i >= 0; i -= 2) {
    if ((fields[i] as string).toLowerCase() !== 'x-forwarded-for') continue;
    fields[i + 1] = fields[i + 1] === '' ? peer : `${fields[i + 1]}, ${peer}`;
    return;
  }
  fields.push('x-forwarded-for', peer);
}

function pushMissing(fields: string[], there: ReadonlySet<string>, ours: readonly string[]): void {
  for (let i = 0; i < ours.length; i += 2) {
    const name = ours[i] as string;
    if (!there.has(name)) fields.push(name, ours[i + 1] as string);
  }
}
