import { scopeWords } from '../../config/words/scope-words.ts';
import type { Identity } from '../message/identity.ts';

export interface UserBlock {
  readonly scheme: string;
  readonly realm: string;
  /** User → scope, space-delimited. */
  readonly scopes: Readonly<Record<string, string>>;
}

/** The identities of a scheme's users. Each user has one object, so that results made from it are made once. */
export function userIdentities({ scheme, realm, scopes }: UserBlock): (username: string) => Identity {
  const known = new Map<string, Identity>();
  return (username) => {
    const before = known.get(username);
    if (before !== undefined) return before;
    const scope = Object.hasOwn(scopes, username) ? (scopes[username] ?? '') : '';
    const identity: Identity = {
      scheme,
      // `alice` of another realm is a different user.
      issuer: `${scheme}:${realm}`,
      server: '',
      subject: username,
      clientId: undefined,
      scopes: new Set(scope === '' ? [] : scopeWords(scope)),
      audience: undefined,
      expiresAt: undefined,
      notBefore: undefined,
      claims: { sub: username },
    };
    known.set(username, identity);
    return identity;
  };
}
