import { BlockList, isIP } from 'node:net';

export interface Cidr {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Parses `10.0.0.0/8`, `fd00::/8`, or one address; undefined for any other text. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return undefined;
  const most = version === 4 ? 32 : 128;
  const prefix = length === undefined ? most : Number(length);
  if (length === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > most) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** All addresses in the CIDRs. Other texts are left out. */
export function addressList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of cidrs) {
    const cidr = parseCidr(text);
    if (cidr !== undefined) list.addSubnet(cidr.address, cidr.prefix, cidr.family);
  }
  return list;
}
