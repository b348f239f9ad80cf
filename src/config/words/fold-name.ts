/**
 * Servers behind CGI-like interfaces fold every character that is not a letter or digit into one (RFC 3875 §4.1.18). So
 * `X_Auth-Subject` reaches the application as `X-Auth-Subject` does. Names are compared in this folded form.
 */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-');
}
