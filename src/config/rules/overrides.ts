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

/** By what an upstream may act on another path or method than was judged, or take a client for another one. */
export const overrideChecks: Checks<GatewaySubject> = {
  'override that decides and is dropped': ({ config, routes }) =>
    routes.flatMap((route) => droppedLooks(config, route)),
  'certificate headers without a sender': ({ config, routes }) =>
    trustedParts(config.trusted_proxies).from.length > 0
      ? []
      : [{ at: ['defaults'], value: config.defaults }, ...routes].flatMap(ofNobody),
  '_method beside other rules': (subject) => {
    const [first, ...more] = methodNamings(subject);
    if (first === undefined) return [];
    const [name, taken] = [first.named, first.post].map(({ value }) => value.id ?? defaultId(value));
    const others = more.length === 0 ? '' : `, and so for ${more.length} more`;
    return [
      {
        pointer: [...first.named.at, 'match', ...(first.named.value.match.methods === undefined ? [] : ['methods'])],
        severity: 'warning',
        message: `an upstream that goes by \`_method\` in a form or query takes a POST by the weaker rule of \`${taken}\` (${subject.around.cite(first.post.at)}) for a request of \`${name}\`${others}`,
        hint: 'switch it off there (headers that say the same are dropped here), or let both routes ask for the same',
      },
    ];
  },
};

/** Only a proxy that is trusted may name a certificate: of a client it would be a claim. */
function ofNobody({ at, value }: Pick<Member<Pick<RouteFile, 'pass_headers'>>, 'at' | 'value'>): readonly Finding[] {
  return (value.pass_headers ?? []).flatMap((name, index): Finding[] => {
    if (!isCertificateHeader(name)) return [];
    return [
      {
        pointer: [...at, 'pass_headers', index],
        severity: 'warning',
        message: `\`${name}\` passes from trusted proxies only, and \`trusted_proxies\` is empty: the upstream does not get it`,
        hint: 'name the proxy that writes it: `trusted_proxies: [10.0.0.0/8]`',
      },
    ];
  });
}

/** Names that the expression reads, as written there. */
function certificatesIn(looked: ReturnType<typeof headersLookedAt>): readonly string[] {
  return looked === 'any' ? [] : [...looked].filter((name) => certificateHeaderOf(name) !== undefined);
}

/** A condition is judged by a header that the upstream never gets. */
function droppedLooks({ defaults }: GatewayFile, { at, value }: Member<RouteFile>): readonly Finding[] {
  const passed = value.pass_headers ?? defaults.pass_headers;
  const inMatch = headersLookedAt({ match: value.match });
  const looked = headersLookedAt(value);
  return [...overrideHeaders, ...certificatesIn(looked)].flatMap((name): Finding[] => {
    const where = has(inMatch, name) ? 'match' : has(looked, name) ? 'when' : undefined;
    const passes = certificateHeaderOf(name) ?? name;
    if (where === undefined || (passed as readonly string[]).includes(passes)) return [];
    return [
      {
        pointer: [...at, where],
        severity: 'warning',
        message: `the upstream does not get \`${name}\`, by which the route decides`,
        hint: `if it is to go by it too: \`pass_headers: [${passes}]\``,
      },
    ];
  });
}

function has(looked: ReturnType<typeof headersLookedAt>, name: string): boolean {
  return looked !== 'any' && looked.has(name.toLowerCase());
}
