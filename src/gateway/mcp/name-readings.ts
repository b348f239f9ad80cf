const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/**
 * The forms in which an upstream may read the URI of a resource: decoded, resolved, with slashes for backslashes. A
 * name without a scheme has one form.
 */
export function nameReadings(name: string): readonly string[] {
  if (!SCHEME.test(name)) return [];
  const decoded = decodedOf(name);
  const slashed = [name, decoded, decodedOf(decoded)].map((form) => form.replaceAll('\\', '/'));
  return [decoded, ...slashed, ...slashed.flatMap(resolved)];
}

function decodedOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** As the URL standard reads it: without dot segments, with scheme and host in lower case. */
function resolved(text: string): readonly string[] {
  const url = URL.parse(text);
  return url === null ? [] : [url.href, decodedOf(url.href)];
}
