import * as Type from 'typebox';
import { parseCidr } from '../../base/cidr.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { list, oneOf, record, text } from '../words/schema.ts';

export type TrustedProxiesFile = readonly string[] | { readonly from: readonly string[]; readonly host?: 'forwarded' };

/** The trusted proxies: CIDRs, or a map with the CIDRs and the use of X-Forwarded-Host. */
export function trustedProxies(description: string) {
  const parts = record({
    from: list(
      text(),
      undefined,
      'The gateway trusts proxies in these CIDRs. This list means the same as a list directly in `trusted_proxies`.',
    ),
    host: Type.Optional(
      oneOf(
        ['forwarded'],
        undefined,
        'forwarded: the gateway takes the host from X-Forwarded-Host and sends it to the upstream. The proxy must set this header on each request. If the header is invalid, repeated or a list, the answer is 400. By default, the gateway takes the host from `Host`.',
      ),
    ),
  });
  return Type.Unsafe<TrustedProxiesFile>({ anyOf: [list(text()), parts], default: [], description });
}

/** Converts both forms to one. */
export function trustedParts(written: TrustedProxiesFile): { from: readonly string[]; isHostForwarded: boolean } {
  if ('from' in written) return { from: written.from, isHostForwarded: written.host === 'forwarded' };
  return { from: written, isHostForwarded: false };
}

export function trustedFaults(written: TrustedProxiesFile): readonly Finding[] {
  const at = 'from' in written ? ['trusted_proxies', 'from'] : ['trusted_proxies'];
  return trustedParts(written).from.flatMap((text, index) => trustedProxyFaults([...at, index], text));
}

/** The faults of one entry of `trusted_proxies`. */
function trustedProxyFaults(pointer: Pointer, text: string): readonly Finding[] {
  const cidr = parseCidr(text);
  if (cidr === undefined)
    return [{ pointer, message: `\`${text}\` is not a CIDR`, hint: 'such as 10.0.0.0/8, fd00::/8 or one address' }];
  if (cidr.prefix > 0) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: `\`${text}\` trusts every address`,
      hint: 'name the networks of your proxies',
    },
  ];
}
