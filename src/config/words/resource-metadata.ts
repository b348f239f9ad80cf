/** RFC 9728 §3: the path of the documents of protected resources. */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** RFC 9728 §3.1: the well-known part is between host and path. A path that is only a slash counts as empty. */
export function resourceMetadataUrl(resource: string): URL {
  const url = new URL(resource);
  url.pathname = `${RESOURCE_METADATA}${url.pathname === '/' ? '' : url.pathname}`;
  return url;
}
