/** One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1). */
export interface Challenge {
  readonly scheme: string;
  /** In the order in which they are written; undefined parameters are left out. */
  readonly parameters: readonly (readonly [name: string, value: string | undefined])[];
}

export function formatChallenge({ scheme, parameters }: Challenge): string {
  const written = parameters.filter(([, value]) => value !== undefined);
  return `${scheme} ${written.map(([name, value]) => `${name}=${quote(value as string)}`).join(', ')}`;
}

/** quoted-string (RFC 9110 §5.6.4). */
export function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
