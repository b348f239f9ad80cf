import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import type { Trust } from '../../config/files/trust.ts';
import type { AuthorizationConfig } from '../../config/schema/authorization.ts';
import { isLoopback } from '../../config/words/host.ts';
import { addressFinder, type FindAddresses } from './find-addresses.ts';
import { type IsReachable, reachableBy } from './reachable.ts';

/** An answer, or why there is none. `forbidden`: the service connected to nothing. */
export type FetchOutcome =
  | Answered
  | { readonly kind: 'forbidden'; readonly reason: string }
  | { readonly kind: 'too_large'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Requests to URLs of clients, and of receivers in the file. They reach only public addresses, or those of `outbound.private_addresses`. The
 * name is looked up once for each connection, and the connection goes to an address that was checked. Redirects are not
 * followed. An answer has a time limit and a size limit.
 */
export interface Outbound {
  /** `largest`: bytes of the answer. */
  get(url: string, largest?: number): Promise<FetchOutcome>;
  /** Posts a form. */
  post(url: string, form: Readonly<Record<string, string>>): Promise<FetchOutcome>;
  postText(url: string, text: string, headers: Readonly<Record<string, string>>): Promise<FetchOutcome>;
  close(): Promise<void>;
}

/** Bytes of an answer. */
const LARGEST = 256 * 1024;

/** Milliseconds for which a connection without a request stays open. */
const LONGEST_IDLE = 4_000;

class Forbidden extends Error {}

export interface OutboundOptions {
  readonly outbound: Pick<AuthorizationConfig['outbound'], 'private_addresses' | 'timeout'>;
  readonly development: boolean;
  /** Default: the public authorities. */
  readonly trust?: Trust;
  /** Default: by the DNS servers of the system. */
  readonly findAddresses?: FindAddresses | undefined;
}

export function buildOutbound({
  outbound,
  development,
  trust = { kind: 'system' },
  findAddresses = addressFinder(),
}: OutboundOptions): Outbound {
  const isReachable = reachableBy(outbound.private_addresses);
  const { timeout } = outbound;
  const agent = new Agent({
    connect: { lookup: checkedLookup(findAddresses, isReachable), timeout, ...authorities(trust) },
    connections: 8,
    // A host may ask to keep a connection for minutes. Strangers could then fill the table of open files with idle
    // connections.
    keepAliveMaxTimeout: LONGEST_IDLE,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxResponseSize: LARGEST,
  });
  const send = async (text: string, init: Init, largest = LARGEST): Promise<FetchOutcome> => {
    const url = URL.parse(text);
    const fault = url === null ? 'not a URL' : faultOf(url, { isReachable, development });
    if (url === null || fault !== undefined) return { kind: 'forbidden', reason: fault ?? 'not a URL' };
    return answerOf(request(url, { ...init, dispatcher: agent, signal: AbortSignal.timeout(timeout) }), largest);
  };
  return {
    get: (url, largest) => send(url, { method: 'GET', headers: asksForJson }, largest),
    post: (url, form) =>
      send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      }),
    postText: (url, body, headers) => send(url, { method: 'POST', headers, body }),
    close: () => agent.destroy(),
  };
}

interface Init {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Without an encoding: a small answer must not become a large one. Some hosts reject requests without a User-Agent. */
const asksForJson = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'gatehouse' };

/** No authority at all, if the file has become unreadable since it was checked. */
function authorities(trust: Trust): { readonly ca?: string | string[] } {
  if (trust.kind === 'system') return {};
  return { ca: trust.kind === 'only' ? trust.pem : [] };
}

async function answerOf(sent: ReturnType<typeof request>, largest: number): Promise<FetchOutcome> {
  try {
    const { statusCode: status, headers, body } = await sent;
    const read = await bodyOf(body, largest);
    return read === undefined ? tooLarge : { kind: 'answered', status, headers, body: read };
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    if ('code' in cause && cause.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge;
    return { kind: cause instanceof Forbidden ? 'forbidden' : 'failed', reason: cause.message };
  }
}

const tooLarge = { kind: 'too_large', reason: 'the answer is too large' } as const;

/** Undefined if the body is too large. The rest is not read: the end of the loop closes the connection. */
async function bodyOf(body: AsyncIterable<Uint8Array>, largest: number): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > largest) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

interface Rules {
  readonly isReachable: IsReachable;
  readonly development: boolean;
}

/** An address in the URL is never looked up, so it is checked here. For http, the rules are those of the configuration. */
function faultOf({ protocol, hostname }: URL, { isReachable, development }: Rules): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isReachable(host)) return notPublic(host);
  if (protocol === 'https:' || (protocol === 'http:' && (development || isLoopback(host)))) return undefined;
  return 'not an https URL';
}

/** Refuses a name if one of its addresses is forbidden. */
function checkedLookup(find: FindAddresses, isReachable: IsReachable): LookupFunction {
  return (hostname, { all }, done) => {
    checkedAddresses(hostname, find, isReachable).then(
      (addresses) =>
        all === true ? done(null, [...addresses]) : done(null, addresses[0].address, addresses[0].family),
      (error) => done(error, ''),
    );
  };
}

type Addresses = readonly [LookupAddress, ...LookupAddress[]];

async function checkedAddresses(hostname: string, find: FindAddresses, isReachable: IsReachable): Promise<Addresses> {
  const [first, ...others] = await find(hostname);
  if (first === undefined) throw new Error(`${hostname} has no address`);
  const addresses = [first, ...others] as const;
  const forbidden = addresses.find(({ address }) => !isReachable(address));
  if (forbidden !== undefined) throw new Forbidden(notPublic(forbidden.address));
  return addresses;
}

function notPublic(address: string): string {
  return `${address} is not a public address, and \`outbound.private_addresses\` does not contain it`;
}
