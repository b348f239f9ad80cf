import type { GatewayFile, RouteFile } from '../schema/gateway.ts';
import { trustedParts } from '../schema/trusted-proxies.ts';
import { defaultId } from '../validate/complete.ts';
import { certificateHeaderOf, isCertificateHeader } from '../words/certificate-headers.ts';
import { overrideHeaders } from '../words/override-headers.ts';
import type { Finding } from '../words/problem.ts';
import type { Checks, Member } from './checks.ts';
import { headersLookedAt } from './looked-at.ts';
import { methodNamings } from './method-naming.ts';
import type { GatewaySubject } from './subject.ts';

/** Rules for headers and parameters that can change the path, the method or the client for an upstream. */
export const overrideChecks: Checks<GatewaySubject> = {
  'header that a route reads and the upstream does not get': ({ config, routes }) =>
    routes.flatMap((route) => droppedLooks(config, route)),
  'certificate headers without a trusted proxy': ({ config, routes }) =>
    trustedParts(config.trusted_proxies).from.length > 0
      ? []
      : [{ at: ['defaults'], value: config.defaults }, ...routes].flatMap(unsentCertificates),
  '_method that leads to a stricter route': (subject) => {
    const [first, ...more] = methodNamings(subject);
    if (first === undefined) return [];
    const [name, taken] = [first.named, first.post].map(({ value }) => value.id ?? defaultId(value));
    const others = more.length === 0 ? '' : `; more routes with this fault: ${more.length}`;
    return [
      {
        pointer: [...first.named.at, 'match', ...(first.named.value.match.methods === undefined ? [] : ['methods'])],
        severity: 'warning',
        message: `\`${taken}\` (${subject.around.cite(first.post.at)}) accepts a POST by a weaker rule than \`${name}\`: if the upstream reads \`_method\` in a form or query, it can treat this POST as a request for \`${name}\`${others}`,
        hint: 'switch `_method` off in the upstream, or give both routes the same requirements; the gateway already drops headers that override the method',
      },
    ];
  },
};

/** Only a trusted proxy may name a certificate. From a client, the name proves nothing. */
function unsentCertificates({
  at,
  value,
}: Pick<Member<Pick<RouteFile, 'pass_headers'>>, 'at' | 'value'>): readonly Finding[] {
  return (value.pass_headers ?? []).flatMap((name, index): Finding[] => {
    if (!isCertificateHeader(name)) return [];
    return [
      {
        pointer: [...at, 'pass_headers', index],
        severity: 'warning',
        message: `\`${name}\` is accepted only from trusted proxies, and \`trusted_proxies\` is empty: the upstream never gets it`,
        hint: 'name the proxy that writes it: `trusted_proxies: [10.0.0.0/8]`',
      },
    ];
  });
}

/** The names that the expression reads, in their written form. */
function certificatesIn(looked: ReturnType<typeof headersLookedAt>): readonly string[] {
  return looked === 'any' ? [] : [...looked].filter((name) => certificateHeaderOf(name) !== undefined);
}

/** Reports a condition that reads a header which the upstream never gets. */
function droppedLooks({ defaults }: GatewayFile, { at, value }: Member<RouteFile>): readonly Finding[] {
  const passed = value.pass_headers ?? defaults.pass_headers;
  const inMatch = headersLookedAt({ match: value.match });
  const looked = headersLookedAt(value);
  return [...overrideHeaders, ...certificatesIn(looked)].flatMap((name): Finding[] => {
    const where = has(inMatch, name) ? 'match' : has(looked, name) ? 'when' : undefined;
    if (where === undefined) return [];
    const passes = certificateHeaderOf(name) ?? name;
    if ((passed as readonly string[]).includes(passes)) return [];
    return [
      {
        pointer: [...at, where],
        severity: 'warning',
        message: `the route depends on \`${name}\`, but the upstream does not get this header`,
        hint: `if the upstream needs it too, write \`pass_headers: [${passes}]\``,
      },
    ];
  });
}

function has(looked: ReturnType<typeof headersLookedAt>, name: string): boolean {
  return looked !== 'any' && looked.has(name.toLowerCase());
}
