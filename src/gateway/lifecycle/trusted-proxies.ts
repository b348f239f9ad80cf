import { type TrustedProxies, trustedProxies } from '../../base/forwarded-for.ts';
import { plainAddress } from '../../base/plain-address.ts';
import { normalizeHost } from '../../config/host.ts';
import type { ClientRequest } from '../forward/client-message.ts';
import type { Origin } from '../request-head.ts';

/** The peer of a connection, and what its request says. */
export interface Peer {
  readonly address: string;
  readonly secure: boolean;
  /** As in Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  readonly requestIdHeader: string;
}

/** Of this connection, and what the request on it says. */
export function peerOf({ socket, rawHeaders }: ClientRequest, requestIdHeader: string): Peer {
  const address = plainAddress(socket.remoteAddress);
  return { address, secure: 'encrypted' in socket, rawHeaders, requestIdHeader };
}

/** Tells where a request comes from. Only a peer in one of the CIDRs is believed (advisories 3 and 13). */
export function originReader(cidrs: readonly string[]): (peer: Peer) => Origin {
  if (cidrs.length === 0) return fromConnection;
  const trusted = trustedProxies(cidrs);
  return (peer) => (trusted.includes(peer.address) ? fromProxy(trusted, peer) : fromConnection(peer));
}

function fromConnection({ address, secure }: Peer): Origin {
  return { address, secure, chain: address, host: undefined, requestId: undefined, isProxied: false };
}

function fromProxy(trusted: TrustedProxies, peer: Peer): Origin {
  const chain = trusted.believed(linesOf(peer, 'x-forwarded-for'));
  const host = lastOf(peer, 'x-forwarded-host');
  const id = lastOf(peer, peer.requestIdHeader);
  return {
    address: chain[0] ?? peer.address,
    secure: (lastOf(peer, 'x-forwarded-proto') ?? (peer.secure ? 'https' : '')).toLowerCase() === 'https',
    chain: [...chain, peer.address].join(', '),
    host: host !== undefined && normalizeHost(host) !== undefined ? host : undefined,
    requestId: id !== undefined && /^[A-Za-z0-9._:/+=-]{1,128}$/.test(id) ? id : undefined,
    isProxied: true,
  };
}

function linesOf({ rawHeaders }: Peer, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** Of a list, what the nearest proxy wrote. */
function lastOf(peer: Peer, name: string): string | undefined {
  const line = linesOf(peer, name).at(-1);
  return line?.slice(line.lastIndexOf(',') + 1).trim();
}
