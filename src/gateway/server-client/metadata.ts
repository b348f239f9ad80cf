import type { Clock } from '../../base/clock.ts';
import { difference } from '../../base/near-miss.ts';
import { quoted } from '../../base/quoted.ts';
import type { JsonObject } from '../../jwt/json.ts';
import { metadataUrls } from '../../oauth/metadata.ts';
import { type FailedFetch, FETCH_DEADLINE, type Fetched, type FetchJson, failed } from './fetch-json.ts';

/** The endpoints of an authorization server, from its metadata (RFC 8414). */
export interface Metadata {
  endpoint(member: RequiredMember): Promise<string | FailedFetch>;
  /** Like `endpoint`, for an optional member. Undefined: the server does not have it, or has no metadata at all. */
  optional(member: OptionalMember): Promise<string | FailedFetch | undefined>;
}

export type RequiredMember = 'jwks_uri' | 'introspection_endpoint';
export type MetadataMember = RequiredMember | OptionalMember;

/** Members that RFC 8414 does not define, and that not every server has. */
const optionalMembers = ['user_key_uri_template', 'revocation_events_endpoint'] as const;
export type OptionalMember = (typeof optionalMembers)[number];

export interface MetadataOptions {
  readonly issuer: string;
  readonly development: boolean;
  readonly fetch: FetchJson;
  readonly clock: Clock;
  /** Milliseconds after which the document is read again. Until then, or if that fails, the last one counts. */
  readonly ttl: number;
}

/** Milliseconds before a failed attempt is repeated. */
const PAUSE = 1_000;

export function metadata(options: MetadataOptions): Metadata {
  const { issuer, development, clock, ttl } = options;
  let last: Fetched | undefined;
  let until = 0;
  let flight: Promise<Fetched> | undefined;

  const refresh = async (): Promise<Fetched> => {
    const next = await readMetadata(options);
    if (next.kind === 'json' || last?.kind !== 'json') last = next;
    until = clock.monotonic() + (next.kind === 'json' ? ttl : PAUSE);
    flight = undefined;
    return last;
  };
  const read = (): Fetched | Promise<Fetched> => {
    if (last !== undefined && clock.monotonic() < until) return last;
    flight ??= refresh();
    return flight;
  };
  return {
    async endpoint(member) {
      const document = await read();
      return document.kind === 'failed' ? document : judgeEndpoint(document.value, member, { issuer, development });
    },
    async optional(member) {
      if (!isWebAddress(issuer)) return undefined;
      const document = await read();
      if (document.kind === 'failed') return lacks(document, member) ? undefined : document;
      if (document.value[member] === undefined) return undefined;
      return judgeEndpoint(document.value, member, { issuer, development });
    },
  };
}

/** The server answered that it has no metadata, or its document names another issuer and not this member. */
function lacks({ status, members }: FailedFetch, member: OptionalMember): boolean {
  return members === undefined ? isNotFound(status) : !members.includes(member);
}

/** Statuses of a server that may have the document, and does not send it now: a timeout, too early, too many requests. */
const LATER = new Set([408, 425, 429]);

function isNotFound(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && !LATER.has(status);
}

/**
 * Tries each URL in turn while the server answers without a document. The first document alone decides. If one URL fails, the
 * document may be there, so another URL without a document proves nothing.
 */
export async function readMetadata({ issuer, fetch }: Pick<MetadataOptions, 'issuer' | 'fetch'>): Promise<Fetched> {
  if (!isWebAddress(issuer)) return failed('the issuer is not a URL, so it has no metadata');
  const signal = AbortSignal.timeout(FETCH_DEADLINE);
  let told: FailedFetch | undefined;
  for (const url of metadataUrls(issuer)) {
    const fetched = await fetch({ url, signal });
    if (fetched.kind === 'json') return judgeIssuer(fetched.value, issuer, url);
    const here = { ...fetched, detail: `metadata: ${fetched.detail}` };
    if (fetched.status === undefined) return here;
    if (told === undefined || isNotFound(told.status)) told = here;
  }
  return told ?? failed('no metadata');
}

/** RFC 8414 §3.3: issuers are compared byte by byte. Otherwise the document belongs to another server. */
function judgeIssuer(value: JsonObject, issuer: string, url: string): Fetched {
  if (value.issuer === issuer) return { kind: 'json', value };
  const differs = difference(value.issuer, [issuer]);
  const told = `metadata of ${url} names the issuer ${quoted(value.issuer)}, but ${quoted(issuer)} was expected`;
  const members = optionalMembers.filter((member) => value[member] !== undefined);
  return { ...failed(differs === undefined ? told : `${told}; it ${differs}`), fault: 'issuer', members };
}

/** The URL of an endpoint. A fault: the issuer has https, and this URL would send requests without TLS. */
export function judgeEndpoint(
  document: JsonObject,
  member: string,
  { issuer, development }: { issuer: string; development: boolean },
): string | FailedFetch {
  const url = document[member];
  if (typeof url !== 'string' || !isWebAddress(url)) return failed(`metadata has no ${member}`);
  const downgrade = issuer.startsWith('https:') && !url.startsWith('https:') && !development;
  return downgrade ? failed(`metadata names an http: ${member} for an https: issuer`) : url;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}
