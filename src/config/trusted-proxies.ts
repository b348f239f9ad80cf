import { parseCidr } from '../base/cidr.ts';
import type { Finding } from './problem.ts';

/** What is wrong with one entry of `trusted_proxies`. */
export function trustedProxyFaults(text: string, index: number): readonly Finding[] {
  const pointer = ['trusted_proxies', index];
  const cidr = parseCidr(text);
  if (cidr === undefined)
    return [{ pointer, message: `\`${text}\` is not a CIDR`, hint: 'such as 10.0.0.0/8, fd00::/8 or one address' }];
  if (cidr.prefix > 0) return [];
  return [
    {
      pointer,
      severity: 'warning',
      message: `\`${text}\` believes everybody`,
      hint: 'name the networks of your proxies',
    },
  ];
}
