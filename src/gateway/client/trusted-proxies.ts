import { plainAddress } from '../../base/client-address.ts';
import { parseTrustedProxies, type TrustedProxies } from '../../base/forwarded-for.ts';
import { rawLines } from '../../base/raw-lines.ts';
import { normalizeHost } from '../../config/words/host.ts';
import { hostNames } from '../decide/authority.ts';
import type { ClientCertificate, Origin } from '../message/request-head.ts';
import { certificateOf } from './client-certificate.ts';
import type { ClientRequest } from './client-message.ts';

/** The peer of a connection, and the header lines of its request. */
export interface Peer {
  readonly address: string;
  readonly secure: boolean;
  /** The certificate that the peer proved by TLS. */
  readonly certificate?: ClientCertificate | undefined;
  /** As in Node's `rawHeaders`. */
  readonly rawHeaders: readonly string[];
  readonly requestIdHeader: string;
}

/** The address and scheme of this connection, and those that the request claims. */
export function clientPeerOf({ socket, rawHeaders }: ClientRequest, requestIdHeader: string): Peer {
  const address = plainAddress(socket.remoteAddress);
  const secure = 'encrypted' in socket;
  return { address, secure, certificate: secure ? certificateOf(socket) : undefined, rawHeaders, requestIdHeader };
}

/** Reads where a request comes from. It trusts only a peer in one of the CIDRs (advisories 3 and 13). */
export function originReader(cidrs: readonly string[]): (peer: Peer) => Origin {
  if (cidrs.length === 0) return fromConnection;
  const trusted = parseTrustedProxies(cidrs);
  const hostName = hostNames();
  return (peer) => (trusted.includes(peer.address) ? fromProxy(trusted, hostName, peer) : fromConnection(peer));
}

function fromConnection({ address, secure, certificate }: Peer): Origin {
  return {
    address,
    secure,
    chain: address,
    host: undefined,
    otherHost: undefined,
    certificate,
    requestId: undefined,
    isProxied: false,
  };
}

type HostName = ReturnType<typeof hostNames>;

function fromProxy(trusted: TrustedProxies, hostName: HostName, peer: Peer): Origin {
  const chain = trusted.believed(rawLines(peer.rawHeaders, 'x-forwarded-for'));
  const told = lastOf(peer, 'x-forwarded-host');
  const id = lastOf(peer, peer.requestIdHeader);
  const isSame = told !== undefined && hostName(told) === hostName(lastOf(peer, 'host') ?? '');
  return {
    address: chain[0] ?? peer.address,
    secure: (lastOf(peer, 'x-forwarded-proto') ?? (peer.secure ? 'https' : '')).toLowerCase() === 'https',
    chain: [...chain, peer.address].join(', '),
    host: isSame && hostName(told) !== undefined ? told : undefined,
    otherHost: isSame ? undefined : told,
    requestId: id !== undefined && /^[A-Za-z0-9._:/+=-]{1,128}$/.test(id) ? id : undefined,
    isProxied: true,
  };
}

/**
 * `host: forwarded`: returns the header lines with the X-Forwarded-Host of a trusted proxy in place of Host. Everything
 * that judges and logs uses these lines. Several lines stay several, so the gateway rejects the request like one with
 * two Host headers.
 */
export function withForwardedHost(rawHeaders: readonly string[], { isProxied }: Origin): readonly string[] {
  const told = rawLines(rawHeaders, 'x-forwarded-host');
  const [host, ...more] = rawLines(rawHeaders, 'host');
  // A request without exactly one Host stays unchanged, and the gateway rejects it for that.
  if (!isProxied || told.length === 0 || host === undefined || more.length > 0) return rawHeaders;
  if (normalizeHost(host) === undefined) return rawHeaders;
  const others = rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]?.toLowerCase() !== 'host');
  return [...told.flatMap((value) => ['host', value]), ...others];
}

/** The last element of a list: the nearest proxy wrote it. */
function lastOf(peer: Peer, name: string): string | undefined {
  const line = rawLines(peer.rawHeaders, name).at(-1);
  return line?.slice(line.lastIndexOf(',') + 1).trim();
}
