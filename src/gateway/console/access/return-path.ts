/** Characters. The path travels in a cookie. */
const LONGEST = 1_000;

/** The addresses of a login, which judge their requests by themselves. */
export const LOGIN_PATHS: ReadonlySet<string> = new Set([
  '/console/login',
  '/console/callback',
  '/console/logout',
  '/console/logged-out',
]);

/**
 * The path for the browser after a login: a page of the console, as the URL parser of browsers reads it. Everything else becomes
 * `otherwise`, so a link to the login cannot lead to another site.
 */
export function returnPath(wanted: unknown, otherwise: string): string {
  if (typeof wanted !== 'string' || wanted.length > LONGEST || !/^\/[\x21-\x7e]*$/.test(wanted)) return otherwise;
  const base = 'http://console.invalid';
  const url = URL.parse(wanted, base);
  if (url === null || url.origin !== base || LOGIN_PATHS.has(url.pathname)) return otherwise;
  return /^\/console(?:\/|$)/.test(url.pathname) ? url.pathname + url.search : otherwise;
}
