import { printableValue } from '../../base/printable.ts';
import { scalar } from '../../config/words/yaml-text.ts';

const WITHOUT = 'Write only a scheme, a host and perhaps a path: leave out everything from `?` or `#` on';

/** Why a text is not a valid URL of an API; undefined: it is valid. */
export function apiUrlFault(text: string): string | undefined {
  // Each request has its own path and query, so the URL of the API can add none.
  if (/[?#]/.test(text)) return `${printableValue(text)} has a query or a fragment. ${WITHOUT}`;
  return text.includes('://') ? undefined : `the API has no scheme. Write ${withScheme(text)}`;
}

/** The text before `@` may be a password, and logs keep error messages. */
function withScheme(text: string): string {
  return text.includes('@') ? 'http:// or https:// before the address' : `http://${printableValue(text)}`;
}

/** An API as the file describes it. An upstream has no path, so a rewrite adds the path of the URL to each request. */
export interface Api {
  readonly url: string;
  /** Empty: no path. */
  readonly path: string;
}

export function apiOf(text: string): Api {
  const url = URL.parse(text);
  // The loader must see the text if it would reject it, such as a URL with a password.
  const isPlain = url !== null && url.href === `${url.protocol}//${url.host}${url.pathname}`;
  return {
    url: isPlain ? `${url.protocol}//${url.host}` : text,
    path: url?.pathname.replace(/\/$/, '') ?? '',
  };
}

/** The YAML of the upstream, and of one route for all its paths. */
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
