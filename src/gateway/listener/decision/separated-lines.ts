import { separatedCredentials } from '../../../http-auth/joined-credentials.ts';

/**
 * Header lines for a proxy that joins repeated lines, as Envoy does. Several credentials in one Authorization line become
 * several lines again, so the gateway rejects the request as it rejects two lines.
 */
export function withSeparatedCredentials(rawHeaders: readonly string[]): readonly string[] {
  return rawHeaders.flatMap((value, index) => {
    if (index % 2 === 0) return [];
    const name = rawHeaders[index - 1] ?? '';
    const values = name.toLowerCase() === 'authorization' ? separatedCredentials(value) : [value];
    return values.flatMap((each) => [name, each]);
  });
}
