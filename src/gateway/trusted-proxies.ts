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

/** Read from the right, since each address was written by the proxy after it (advisory 13). */
function fromProxy(trusted: BlockList, peer: Peer): Origin {
  const chain = believed(trusted, listOf(peer, 'x-forwarded-for').map(addressOf));
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

/** The client and the trusted proxies after it: a hop that is no address ends what can be believed. */
function believed(trusted: BlockList, hops: readonly (string | undefined)[]): string[] {
  const chain: string[] = [];
  for (const hop of hops.toReversed()) {
    if (hop === undefined) break;
    chain.unshift(hop);
    if (!contains(trusted, hop)) break;
  }
  return chain;
}

/** Some proxies write the port too: `192.0.2.1:80`, `[2001:db8::1]:80`. */
function addressOf(hop: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+)(?::\d+)?)$/.exec(hop) ?? [undefined, undefined, hop];
  const address = bracketed ?? plain ?? hop;
  return isIP(address) !== 0 && !address.includes('%') ? address : undefined;
}

function listOf({ rawHeaders }: Peer, name: string): string[] {
  return rawHeaders
    .filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
    .flatMap((value) => value.split(','))
    .map((item) => item.trim());
}
