/**
 * A URL for logs: without query, fragment and credentials, which may contain secrets. Undefined: it is not http: or
 * https:, for example the URL of a database.
 */
export function publicUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, origin, pathname } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? `${origin}${pathname}` : undefined;
}
