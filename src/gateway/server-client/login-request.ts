import { createHash, randomBytes } from 'node:crypto';

/** The options of a login that its requests contain. */
export interface WantedLogin {
  readonly clientId: string;
  /** Undefined: a public client. */
  readonly secret: string | undefined;
  readonly scope: string | undefined;
  /** RFC 8707. */
  readonly resources: readonly string[];
}

/** Secrets of one login. The answer and the ID token must match them. */
export interface LoginProof {
  readonly state: string;
  readonly nonce: string;
  /** RFC 7636 §4.1. */
  readonly verifier: string;
}

export function newLoginProof(): LoginProof {
  return { state: random(), nonce: random(), verifier: random() };
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

/** The address for the browser (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export function authorizationUrl(
  { authorizationEndpoint }: { readonly authorizationEndpoint: string },
  { clientId, scope, resources }: WantedLogin,
  { state, nonce, verifier }: LoginProof,
  redirectUri: string,
): string {
  const url = new URL(authorizationEndpoint);
  const parameters = [
    ['response_type', 'code'],
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ...(scope === undefined ? [] : [['scope', scope]]),
    ...resources.map((resource) => ['resource', resource]),
    ['state', state],
    ['nonce', nonce],
    ['code_challenge', createHash('sha256').update(verifier).digest('base64url')],
    ['code_challenge_method', 'S256'],
  ] as const;
  for (const [name = '', value = ''] of parameters) url.searchParams.append(name, value);
  // Some servers do not read a plus sign in a query as a space.
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
}
