import { type UpstreamFile, urlsOf } from '../schema/upstream.ts';
import type { UpstreamCredentialsConfig, UpstreamDigestConfig } from '../schema/upstream-credentials.ts';
import { isHeaderName } from '../words/header-name.ts';
import { isLoopback } from '../words/host.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { parseUrl } from '../words/url-rules.ts';
import { type Checks, type Member, membersOf } from './checks.ts';
import type { GatewaySubject } from './subject.ts';

/** Rules for the gateway's credentials at an upstream. */
export const upstreamCredentialChecks: Checks<GatewaySubject> = {
  'credential towards an upstream': ({ config }) =>
    membersOf('upstreams', config.upstreams).flatMap(({ at, value: { credentials } }) =>
      credentials === undefined ? [] : credentialFaults([...at, 'credentials'], credentials),
    ),
  'Digest towards an upstream': ({ config }) => membersOf('upstreams', config.upstreams).flatMap(digestFaults),
};

function credentialFaults(pointer: Pointer, credentials: UpstreamCredentialsConfig): readonly Finding[] {
  if ('basic' in credentials)
    return usernameFaults([...pointer, 'basic', 'username'], credentials.basic.username, OF_BASIC);
  if ('digest' in credentials)
    return usernameFaults([...pointer, 'digest', 'username'], credentials.digest.username, OF_DIGEST);
  const { name, value } = credentials.header;
  if (!isHeaderName(name))
    return [
      {
        pointer: [...pointer, 'header', 'name'],
        message: `\`${name}\` is not a header name that the gateway can send`,
      },
    ];
  return CONTROL.test(value)
    ? [{ pointer: [...pointer, 'header', 'value'], message: 'the value has a control character' }]
    : [];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
const CONTROL = /[\x00-\x1f\x7f]/;

const OF_BASIC = 'a username for Basic must not contain a colon (RFC 7617 §2)';
const OF_DIGEST = 'a username for Digest must not contain a colon, which separates the username from the realm';

/** Both schemes end the name at a colon: Basic in the header, Digest in the hash. */
function usernameFaults(pointer: Pointer, username: string, colon: string): readonly Finding[] {
  if (username.includes(':')) return [{ pointer, message: colon }];
  return CONTROL.test(username) ? [{ pointer, message: 'a username must not contain a control character' }] : [];
}

function digestFaults({ at, value }: Member<UpstreamFile>): readonly Finding[] {
  const { credentials } = value;
  if (credentials === undefined || !('digest' in credentials)) return [];
  const { digest } = credentials;
  const pointer = [...at, 'credentials', 'digest'];
  return [...twice([...pointer, 'algorithms'], digest.algorithms), ...twice([...pointer, 'qop'], digest.qop)].concat(
    urlsOf(value).some(([, url]) => isWeakOnTheWire(digest, parseUrl(url)))
      ? [
          {
            pointer: [...pointer, 'algorithms'],
            severity: 'warning',
            message: 'with MD5 over plain http, anyone who reads one request can guess the password',
            hint: 'use https for the upstream, or add SHA-256: the gateway then uses SHA-256 as soon as the upstream offers it',
          },
        ]
      : [],
  );
}

function twice(pointer: Pointer, words: readonly string[]): readonly Finding[] {
  return words.flatMap((word, index): Finding[] =>
    words.indexOf(word) === index ? [] : [{ pointer: [...pointer, index], message: `\`${word}\` occurs twice` }],
  );
}

function isWeakOnTheWire({ algorithms }: UpstreamDigestConfig, url: URL | undefined): boolean {
  if (url === undefined || url.protocol !== 'http:' || isLoopback(url.hostname)) return false;
  return algorithms.every((name) => name.startsWith('MD5'));
}
