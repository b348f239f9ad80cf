import type { UserFileFault } from '../files/user-file.ts';
import { didYouMean } from '../words/closest.ts';
import type { Finding, Pointer } from '../words/problem.ts';
import { scopeTokenFault, scopeWords } from '../words/scope-words.ts';
import { each, type SchemeCheck } from './scheme.ts';

/** The parts of a block that rules for schemes with users need. */
interface UsersBlock {
  readonly realm?: string;
  readonly scopes: Readonly<Record<string, string>>;
}

/** True if every client hashes and shows the realm in the same way. */
export function hasPlainRealm({ realm }: Pick<UsersBlock, 'realm'>): boolean {
  return realm === undefined || /^[\x20-\x7e]+$/.test(realm);
}

export const plainRealm: SchemeCheck<Pick<UsersBlock, 'realm'>> = {
  rule: 'realm of a scheme',
  findings: each(({ at, value }) =>
    hasPlainRealm(value)
      ? []
      : [
          {
            pointer: [...at, 'realm'],
            message: 'a realm must be printable ASCII, so that all clients hash and show the same text',
          },
        ],
  ),
};

export const scopesOfUsers: SchemeCheck<UsersBlock> = {
  rule: 'scopes of users',
  findings: each(({ at, value }, { scopes }) =>
    Object.entries(value.scopes).flatMap(([user, text]) => scopeFaults([...at, 'scopes', user], text, scopes)),
  ),
};

function scopeFaults(pointer: Pointer, text: string, supported: readonly string[] | undefined): readonly Finding[] {
  return scopeWords(text).flatMap((token): readonly Finding[] => {
    const message = scopeTokenFault(token);
    if (message !== undefined) return [{ pointer, message }];
    if (supported === undefined || supported.includes(token)) return [];
    return [{ pointer, message: `\`${token}\` is not in scopes_supported`, hint: didYouMean(token, supported) }];
  });
}

export function usersPathOf(pointer: Pointer): (fault: UserFileFault) => Finding {
  return ({ message, hint }) => ({ pointer, message, hint });
}

export function warnedAt(pointer: Pointer): (fault: UserFileFault) => Finding {
  return ({ message, hint }) => ({ pointer, severity: 'warning', message, hint });
}

/** A typing error in a name takes a scope from one user, and gives it to the next user who gets the misspelt name. */
export function strangers(at: Pointer, named: readonly string[], users: readonly string[]): readonly Finding[] {
  return named
    .filter((name) => !users.includes(name))
    .map((name) => ({
      pointer: [...at, 'scopes', name],
      severity: 'warning',
      message: `the file of users has no \`${name}\``,
      hint: didYouMean(name, users),
      atKey: true,
    }));
}
