/**
 * A parameter of a challenge. It becomes a quoted-string unless it is marked as a token. Undefined values are left out.
 */
export type ChallengeParameter = readonly [name: string, value: string | undefined, form?: 'token'];

/** One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1). */
export interface Challenge {
  readonly scheme: string;
  /** In their written order. */
  readonly parameters: readonly ChallengeParameter[];
}

export function formatChallenge({ scheme, parameters }: Challenge): string {
  return `${scheme} ${formatParameters(parameters)}`;
}

/** auth-params with a comma between them (RFC 9110 §11.2). */
export function formatParameters(parameters: readonly ChallengeParameter[]): string {
  let written = '';
  for (const [name, value, form] of parameters) {
    if (value === undefined) continue;
    written += `${written === '' ? '' : ', '}${name}=${form === 'token' ? value : quote(value)}`;
  }
  return written;
}

/** quoted-string (RFC 9110 §5.6.4). */
export function quote(value: string): string {
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}
