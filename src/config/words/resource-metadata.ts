/** RFC 9728 §3: where documents of protected resources lie. */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** RFC 9728 §3.1: the well-known part is inserted between host and path; a path that is only a slash is none. */
export function resourceMetadataUrl(resource: string): URL {
  const url = new URL(resource);
  url.pathname = `${RESOURCE_METADATA}${url.pathname === '/' ? '' : url.pathname}`;
  return url;
}
