import { BlockList, isIP } from 'node:net';
import { parseCidr } from '../config/cidr.ts';
import { normalizeHost } from '../config/host.ts';
import type { Origin } from './request-head.ts';

/** The peer of a connection, and what its request says. */
export interface Peer {
  readonly address: string;
  readonly secure: boolean;
  /** As in Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  readonly requestIdHeader: string;
}

/** Tells where a request comes from. Only a peer in one of the CIDRs is believed (advisories 3 and 13). */
export function originReader(cidrs: readonly string[]): (peer: Peer) => Origin {
  if (cidrs.length === 0) return fromConnection;
  const trusted = blockList(cidrs);
  return (peer) => (contains(trusted, peer.address) ? fromProxy(trusted, peer) : fromConnection(peer));
}

function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of cidrs) {
    const cidr = parseCidr(text);
    if (cidr !== undefined) list.addSubnet(cidr.address, cidr.prefix, cidr.family);
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

function fromConnection({ address, secure }: Peer): Origin {
  return { address, secure, chain: address, host: undefined, requestId: undefined };
}

/** From the right, each address was written by the proxy after it: the first that is not one of ours is the client. */
function fromProxy(trusted: BlockList, peer: Peer): Origin {
  const hops = listOf(peer, 'x-forwarded-for').filter((hop) => isIP(hop) !== 0);
  const last = hops.findLastIndex((hop) => !contains(trusted, hop));
  const chain = hops.slice(Math.max(last, 0));
  const host = listOf(peer, 'x-forwarded-host').at(-1);
  const id = listOf(peer, peer.requestIdHeader).at(-1);
  return {
    address: chain[0] ?? peer.address,
    secure: (listOf(peer, 'x-forwarded-proto').at(-1) ?? (peer.secure ? 'https' : '')).toLowerCase() === 'https',
    chain: [...chain, peer.address].join(', '),
    host: host !== undefined && normalizeHost(host) !== undefined ? host : undefined,
    requestId: id !== undefined && /^[A-Za-z0-9._:/+=-]{1,128}$/.test(id) ? id : undefined,
  };
}

function listOf({ rawHeaders }: Peer, name: string): string[] {
  return rawHeaders
    .filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
    .flatMap((value) => value.split(','))
    .map((item) => item.trim());
}
