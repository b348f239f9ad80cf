import { fold } from '../../config/words/fold-name.ts';
import { type RequestHead, valuesOf } from '../message/request-head.ts';
import { OF_HOP } from '../message/reserved-headers.ts';
import type { Forward } from './outcome.ts';
import { credentialHeaders } from './placed-credentials.ts';
import type { Route } from './route.ts';

/**
 * Names of headers in shadow mode, in lower case: those that the gateway drops now, and those that it also drops once
 * the route enforces.
 */
export interface Dropped {
  readonly now: readonly string[];
  readonly later: readonly string[];
}

export function droppedFields(head: RequestHead, { route }: Forward): Dropped {
  const { isProxied } = head.origin;
  const { identityHeaders } = route;
  const isCredential = credentialNames(route);
  const names = new Set(head.fields.filter((_, index) => index % 2 === 0));
  const now = [...names].filter((name) => identityHeaders.spoofs(name, isProxied));
  const goesLater = (name: string) =>
    isCredential(name) || (identityHeaders.dropsLater(name, isProxied) && !isBelieved(name, head));
  const later = [...names].filter((name) => !now.includes(name) && !OF_HOP.has(name) && goesLater(name));
  return { now, later };
}

const BY_PROXY: ReadonlySet<string> = new Set(['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);

/** Whether the gateway itself sends a trusted proxy's value to the upstream, so that nothing is lost. */
function isBelieved(name: string, head: RequestHead): boolean {
  const { origin } = head;
  return origin.isProxied && (BY_PROXY.has(name) || valuesOf(head, name).at(-1) === origin.requestId);
}

function credentialNames(route: Route): (name: string) => boolean {
  if (route.access === 'public' || route.forwardCredential) return () => false;
  const placed = credentialHeaders(route.schemes);
  return (name) => name === 'authorization' || placed?.has(fold(name)) === true;
}
