import { randomBytes } from 'node:crypto';
import { hmacSha256 } from '../../base/hmac.ts';
import type { UnredactedLine } from '../../base/log.ts';
import type { RequestHead } from '../message/request-head.ts';

/** A value that looks like an API key. A request in shadow mode sent it in a place that its route does not read. */
export interface KeySeen extends UnredactedLine {
  readonly in: 'header' | 'query';
  /** The header in its usual spelling, or the parameter in lower case. */
  readonly name: string;
  /**
   * Equal for equal keys while this process runs, so that keys can be counted. It reveals nothing else about the key.
   */
  readonly print: string;
}

/** Lower-case name → usual spelling. */
const HEADERS: ReadonlyMap<string, string> = new Map(
  ['X-API-Key', 'Api-Key', 'ApiKey', 'X-ApiKey', 'X-Auth-Key', 'X-Access-Key', 'Ocp-Apim-Subscription-Key'].map(
    (name) => [name.toLowerCase(), name],
  ),
);

const PARAMETER = /[?&](api_key|apikey|api-key|subscription-key)=([^&]+)/i;

/** Random for each process, and never stored. So a reader of the log cannot test keys against a print. */
const secret = randomBytes(32);
const run = randomBytes(3).toString('hex');

export function keySeen({ fields, target }: Pick<RequestHead, 'fields' | 'target'>): KeySeen | undefined {
  for (let index = 0; index < fields.length; index += 2) {
    const name = HEADERS.get(fields[index] ?? '');
    const value = fields[index + 1] ?? '';
    if (name !== undefined && value !== '') return { in: 'header', name, print: printOf(value) };
  }
  const at = target.indexOf('?');
  const [, name, value] = (at === -1 ? null : PARAMETER.exec(target.slice(at))) ?? [];
  if (name === undefined || value === undefined) return undefined;
  return { in: 'query', name: name.toLowerCase(), print: printOf(value) };
}

/** 24 bits. A print has so few bits that many keys would match it, even for someone who knows the secret. */
function printOf(value: string): string {
  return `${run}-${hmacSha256(secret, value).toString('hex', 0, 3)}`;
}
