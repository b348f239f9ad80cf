import { type ChallengeParameter, formatChallenge, formatParameters, quote } from './challenge.ts';
import { type DigestAlgorithmName, type Qop, qops } from './digest-algorithms.ts';
import { parseParameters } from './parameters.ts';
import { splitCredentials } from './scheme.ts';
import { extendedText, fieldText, hasControl, toExtendedText } from './text.ts';

/**
 * RFC 7616: parses and formats the Digest scheme. It reads what a header contains, and does not judge whether it is
 * correct.
 */

export interface DigestCredentials {
  /** Text. With `userhash`, hexadecimal digits (RFC 7616 §3.4.4). */
  readonly username: string;
  readonly userhash: boolean;
  readonly realm: string;
  /** One octet for each character, as received, because these values are hashed. */
  readonly nonce: string;
  readonly uri: string;
  /** Lower case. */
  readonly response: string;
  /** As written. Undefined: absent, which means MD5. */
  readonly algorithm: string | undefined;
  /** Undefined: there is none, which only algorithms without a session allow. */
  readonly cnonce: string | undefined;
  readonly opaque: string | undefined;
  /** Undefined: the credentials follow RFC 2069. */
  readonly protection: Protection | undefined;
}

/** Quality of protection and nonce count. Both are present or neither is (RFC 7616 §3.4). */
export interface Protection {
  readonly qop: Qop;
  /** Eight hexadecimal digits, as received. */
  readonly nc: string;
}

export type ParsedDigest =
  | { readonly kind: 'credentials'; readonly credentials: DigestCredentials }
  /** Another scheme, so there are no Digest credentials. */
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed'; readonly detail: string };

/** Reads the value of an Authorization field. */
export function parseDigest(authorization: string): ParsedDigest {
  const split = splitCredentials(authorization);
  if (split?.scheme !== 'digest') return { kind: 'other' };
  const parsed = parseParameters(split.rest);
  return parsed.kind === 'malformed' ? parsed : read(parsed.values);
}

type Values = ReadonlyMap<string, string>;

function read(values: Values): ParsedDigest {
  const missing = ['realm', 'nonce', 'uri', 'response'].find((name) => !values.has(name));
  if (missing !== undefined) return malformed(`no ${missing}`);
  const user = readUser(values);
  if (typeof user === 'string') return malformed(user);
  const protection = readProtection(values);
  if (typeof protection === 'string') return malformed(protection);
  const response = (values.get('response') ?? '').toLowerCase();
  if (!HEX.test(response)) return malformed('the response is not hexadecimal');
  const credentials: DigestCredentials = {
    ...user,
    realm: fieldText(values.get('realm') ?? ''),
    nonce: values.get('nonce') ?? '',
    uri: values.get('uri') ?? '',
    response,
    algorithm: values.get('algorithm'),
    cnonce: values.get('cnonce'),
    opaque: values.get('opaque'),
    protection,
  };
  return { kind: 'credentials', credentials };
}

const HEX = /^[0-9a-f]{32,128}$/;

function readUser(values: Values): Pick<DigestCredentials, 'username' | 'userhash'> | string {
  const [plain, extended] = [values.get('username'), values.get('username*')];
  const hashed = values.get('userhash')?.toLowerCase() ?? 'false';
  if (hashed !== 'true' && hashed !== 'false') return 'userhash is neither true nor false';
  if ((plain === undefined) === (extended === undefined)) return 'needs exactly one of username and username*';
  if (extended !== undefined && hashed === 'true') return 'username* with userhash';
  const username = extended === undefined ? fieldText(plain ?? '') : extendedText(extended);
  if (username === undefined) return 'username* is not UTF-8 text in the encoding of RFC 8187';
  if (hasControl(username)) return 'the username has a control character';
  return { username: hashed === 'true' ? username.toLowerCase() : username, userhash: hashed === 'true' };
}

function readProtection(values: Values): Protection | undefined | string {
  const qop = values.get('qop')?.toLowerCase();
  const nc = values.get('nc');
  if (qop === undefined) return undefined;
  if (!isQop(qop)) return 'an unknown qop';
  if (!values.has('cnonce')) return 'no cnonce';
  if (nc === undefined || !/^[0-9a-f]{8}$/i.test(nc)) return 'nc is not eight hexadecimal digits';
  return { qop, nc };
}

function isQop(text: string): text is Qop {
  return (qops as readonly string[]).includes(text);
}

function malformed(detail: string): ParsedDigest {
  return { kind: 'malformed', detail };
}

/**
 * The value of an Authorization field. A username with other characters than ASCII is sent as `username*` (RFC 7616
 * §3.4).
 */
export function formatDigest(credentials: DigestCredentials): string {
  const { username, userhash, protection } = credentials;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all readers agree only on ASCII in a quoted-string
  const isPlain = userhash || /^[\x00-\x7f]*$/.test(username);
  return `Digest ${formatParameters([
    isPlain ? ['username', username] : ['username*', toExtendedText(username), 'token'],
    ['realm', Buffer.from(credentials.realm).toString('latin1')],
    ['nonce', credentials.nonce],
    ['uri', credentials.uri],
    ['response', credentials.response],
    ['algorithm', credentials.algorithm, 'token'],
    ['cnonce', credentials.cnonce],
    ['opaque', credentials.opaque],
    ['qop', protection?.qop, 'token'],
    ['nc', protection?.nc, 'token'],
    ['userhash', userhash ? 'true' : undefined, 'token'],
  ])}`;
}

export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | undefined;
  readonly algorithm: DigestAlgorithmName;
  /** Empty: the challenge follows RFC 2069. */
  readonly qop: readonly Qop[];
  readonly userhash: boolean;
  /** Username and password were correct. Only the nonce must change (RFC 7616 §3.3). */
  readonly stale: boolean;
  /** URIs to which the credentials apply, space-delimited. */
  readonly domain: string | undefined;
}

/** RFC 7616 §3.3 specifies which of the values are quoted. */
export function digestChallenge(challenge: DigestChallenge): string {
  const { realm, nonce, opaque, algorithm, qop, userhash, stale, domain } = challenge;
  const parameters: readonly ChallengeParameter[] = [
    ['realm', realm],
    ['domain', domain],
    ['qop', qop.length === 0 ? undefined : qop.join(', ')],
    ['algorithm', algorithm, 'token'],
    ['nonce', nonce],
    ['opaque', opaque],
    ['charset', 'UTF-8', 'token'],
    ['userhash', userhash ? 'true' : undefined, 'token'],
    ['stale', stale ? 'true' : undefined, 'token'],
  ];
  return formatChallenge({ scheme: 'Digest', parameters });
}

export interface AuthenticationInfo {
  readonly rspauth: string | undefined;
  readonly cnonce: string;
  readonly protection: Protection;
  readonly nextnonce: string | undefined;
}

/** The value of Authentication-Info (RFC 7615, RFC 7616 §3.5). */
export function formatAuthenticationInfo({ rspauth, cnonce, protection, nextnonce }: AuthenticationInfo): string {
  const proof = rspauth === undefined ? '' : `rspauth=${quote(rspauth)}, `;
  const next = nextnonce === undefined ? '' : `, nextnonce=${quote(nextnonce)}`;
  return `${proof}qop=${protection.qop}, cnonce=${quote(cnonce)}, nc=${protection.nc}${next}`;
}
