import { URI_CHARACTERS } from './client-url.ts';
import { isLoopback } from './host.ts';
import { parseUrl } from './url-rules.ts';

export interface RedirectUriFault {
  readonly message: string;
  readonly hint: string;
}

interface Rule {
  readonly breaks: (text: string, url: URL) => boolean;
  readonly message: (url: URL) => string;
  readonly hint: string;
}

const isHttp = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:';
const schemeOf = ({ protocol }: URL) => protocol.slice(0, -1);

/** In this order. The first broken rule is reported. */
const rules: readonly Rule[] = [
  {
    breaks: (text) => text.includes('#'),
    message: () => 'a redirect address must not have a fragment (RFC 6749 §3.1.2)',
    hint: 'leave out `#` and what follows',
  },
  {
    breaks: (text) => text.includes('*'),
    message: () => 'a redirect address must not have a wildcard: addresses are compared byte by byte (RFC 9700 §4.1.3)',
    hint: 'list each complete address',
  },
  {
    breaks: (text) => !URI_CHARACTERS.test(text),
    message: () => 'the address has a character that no URI contains (RFC 3986 §2)',
    hint: 'percent-encode it',
  },
  {
    breaks: (_, url) => url.username !== '' || url.password !== '',
    message: () => 'a redirect address must not have a username and password',
    hint: 'remove the part before `@`',
  },
  {
    breaks: (_, url) => !isHttp(url) && !schemeOf(url).includes('.'),
    message: (url) => `\`${schemeOf(url)}:\` is not a scheme that a redirect may use`,
    hint: 'write https://…; for an app, take a domain name that you own, and write it in reverse order as the scheme: com.example.app:/callback (RFC 8252 §7.1)',
  },
  {
    breaks: (text, url) => isHttp(url) && !/^https?:\/\/[^/?]/i.test(text),
    message: () => 'the address has no host',
    hint: 'write the whole address: https://app.example.com/callback',
  },
  {
    breaks: (_, url) => url.protocol === 'http:' && !isLoopback(url.hostname),
    message: () =>
      'others can read what a browser sends over http to another machine, such as an authorization code (RFC 8252 §7.3, RFC 9700 §2.6)',
    hint: 'use https',
  },
];

/**
 * Why an address cannot be registered as a redirect address (RFC 6749 §3.1.2, RFC 8252 §7); undefined if it can. An accepted
 * text is stored and compared unchanged.
 */
export function redirectUriFault(text: string): RedirectUriFault | undefined {
  const url = parseUrl(text);
  if (url === undefined)
    return {
      message: `\`${text}\` is not an absolute URI (RFC 6749 §3.1.2)`,
      hint: 'write the whole address: https://app.example.com/callback',
    };
  const broken = rules.find(({ breaks }) => breaks(text, url));
  return broken && { message: broken.message(url), hint: broken.hint };
}
