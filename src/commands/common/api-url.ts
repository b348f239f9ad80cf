import { printableValue } from '../../base/printable.ts';
import { scalar } from './yaml-text.ts';

const WITHOUT = 'The API is a scheme, a host and at most a path: leave out `?` or `#` and what follows';

/** What keeps text from being the address of an API. */
export function apiUrlFault(text: string): string | undefined {
  // Each request has a path and a query of its own: there is nowhere that another one could go.
  if (/[?#]/.test(text)) return `${printableValue(text)} has a query or a fragment. ${WITHOUT}`;
  return text.includes('://') ? undefined : `the API has no scheme. Write ${withScheme(text)}`;
}

/** The text before `@` may be a password, and logs keep error messages. */
function withScheme(text: string): string {
  return text.includes('@') ? 'http:// or https:// before it' : `http://${printableValue(text)}`;
}

/** An API as the file knows it: an upstream has no path, so that of the address is put before the path of each request. */
export interface Api {
  readonly url: string;
  /** Empty: there is none. */
  readonly path: string;
}

export function apiOf(text: string): Api {
  const url = URL.parse(text);
  // What the loader refuses, such as a password, it must see.
  const isPlain = url !== null && url.href === `${url.protocol}//${url.host}${url.pathname}`;
  return {
    url: isPlain ? `${url.protocol}//${url.host}` : text,
    path: url?.pathname.replace(/\/$/, '') ?? '',
  };
}

/** The upstream, and one route for every path of it. */
export function everythingYaml({ url, path }: Api, scope: string | undefined): string {
  return `upstreams:
  api: { url: ${scalar(url)} }
defaults: { upstream: api }
routes:
  - id: everything
    match: { path: "/{rest*}" }
    ${scope === undefined ? 'access: authenticated        # any valid token; or scope: …' : `scope: ${scalar(scope)}`}
${path === '' ? '' : `    rewrite: { add_prefix: ${scalar(path)} }\n`}`;
}
