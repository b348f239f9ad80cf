import { headersLookedAt } from '../../../config/rules/looked-at.ts';
import type { HostPattern } from '../../../config/words/host-pattern.ts';
import { sayable } from '../known-keys.ts';
import { type Concerning, type LimitedFile, ofRoute, type TargetTables } from '../limits.ts';
import type { CannotSay, UnjudgedRoute } from '../plan.ts';
import { serviceOf } from './services.ts';
import { slotsMayMeet } from './slots.ts';

/** What no target of Kubernetes can say, even if Gatehouse judges the route. */

const OWN = 'serve the route with Gatehouse itself';

function unaskable(why: string, remedy = OWN): CannotSay {
  return { why, remedy, askable: false };
}

const JOINED =
  'the proxy joins repeated lines of a header before it asks, so Gatehouse cannot see that the header is repeated';

export const sharedTables: Partial<TargetTables> = {
  upstream: {
    urls: (urls) =>
      urls.every((url) => serviceOf(url) !== undefined)
        ? undefined
        : unaskable('the URL names no Service', 'write `http://NAME.NAMESPACE.svc:PORT`'),
    host: (host) => (host === 'preserve' ? undefined : unaskable('the proxy keeps the Host of the client')),
    case_sensitive: (value) =>
      value ? undefined : unaskable('the proxy distinguishes upper-case and lower-case letters in a path'),
  },
  match: {
    path: sayable,
    headers: () => unaskable(JOINED),
    soap_action: () => unaskable(JOINED),
  },
  route: {
    when: (when) => {
      const read = headersLookedAt({ match: { path: '/' }, when });
      if (read === 'any' || read.size > 0) return unaskable(JOINED);
      return { why: 'the proxy does not evaluate expressions', remedy: 'use `--on-unsupported ask`' };
    },
    rewrite: () => unaskable('the proxy forwards the path without the rewrite'),
    encoded_slashes: (value) =>
      value === 'refuse' ? undefined : unaskable('a proxy can decode `%2F` before anyone judges the path'),
    // Only Gatehouse judges paths with `;`.
    path_parameters: sayable,
    origins: () => ({ why: 'the proxy does not compare `Origin`', remedy: 'use `--on-unsupported ask`' }),
  },
};

/** Hostnames of Gateway API: DNS names, with `*` only as the first label. */
export function hostnameOf({ labels }: HostPattern): string | undefined {
  const [first, ...others] = labels;
  if (others.some(({ kind }) => kind === 'one')) return undefined;
  const text = labels.map((label) => (label.kind === 'one' ? '*' : label.text)).join('.');
  return first !== undefined && HOSTNAME.test(text) && !/^[0-9.]+$/.test(text) ? text : undefined;
}

const HOSTNAME = /^(?:\*\.)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Limits of the table of routes. */
export function routingLimits({ routes }: LimitedFile): readonly Concerning[] {
  return routes.flatMap((route, index) => [
    ...hostLimit(route, index),
    ...upstreamLimit(route, { index, earlier: routes.slice(0, index) }),
  ]);
}

function hostLimit(route: UnjudgedRoute, index: number): readonly Concerning[] {
  if (route.host === undefined || hostnameOf(route.host) !== undefined) return [];
  const reason = unaskable(
    'a hostname of Gateway API is a DNS name, in which only the first label can be a name such as `{tenant}`',
  );
  return [ofRoute(route, ['routes', index, 'match', 'host'], reason)];
}

/**
 * The proxy chooses the upstream by the raw path, and Gatehouse the route by the decoded one. With `/%6frders`, they can
 * differ. So routes that one request can match must have one upstream.
 */
function upstreamLimit(
  route: UnjudgedRoute,
  { index, earlier }: { readonly index: number; readonly earlier: readonly UnjudgedRoute[] },
): readonly Concerning[] {
  const other = earlier.find((each) => each.upstream !== route.upstream && slotsMayMeet(each, route));
  if (other === undefined) return [];
  const why = `a request with an encoded path could pass the rules of this route, but reach the upstream of \`${other.id}\``;
  const reason = unaskable(
    why,
    'give both routes the same upstream, or change the paths so that no request can match both routes',
  );
  const { unsaid } = ofRoute(route, ['routes', index, 'match', 'path'], reason);
  return [{ unsaid, routes: [other.id, route.id] }];
}
