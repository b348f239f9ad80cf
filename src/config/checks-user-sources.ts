// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in configuration files look like this
import { usernameKey } from '../base/username.ts';
import type { Checks, Member } from './checks.ts';
import { sharedDatabaseFaults } from './checks-store.ts';
import { didYouMean } from './closest.ts';
import { isPostgres } from './database-url.ts';
import type { RouteFile } from './gateway.ts';
import { parseHtdigest } from './htdigest.ts';
import { parseHtpasswd } from './htpasswd.ts';
import type { DigestUsersInStore } from './http-schemes.ts';
import type { Finding, Pointer } from './problem.ts';
import { secretKeyFaults } from './secret-key.ts';
import type { GatewaySubject } from './subject.ts';
import { readUserFile, type UserFileFault } from './user-file.ts';

type Route = Member<RouteFile>;

/** Where the users of Basic and Digest come from. */
export const userSourceChecks: Checks<GatewaySubject> = {
  'users of Basic': ({ routes, around }) => routes.flatMap((route) => basicUserFaults(route, around)),
  'users of Digest': ({ routes, around }) => routes.flatMap((route) => digestUserFaults(route, around)),
};

function basicUserFaults({ at, value: { basic } }: Route, around: GatewaySubject['around']): readonly Finding[] {
  if (basic === undefined) return [];
  const pointer = [...at, 'basic', 'users'];
  const names = Object.keys(basic.scopes);
  if (typeof basic.users !== 'string')
    return [
      ...sharedDatabaseFaults([...pointer, 'storage'], basic.users.storage),
      ...names.flatMap((name) => foldedFaults([...at, 'basic', 'scopes', name], name)),
    ];
  const read = readUserFile(basic.users, around, parseHtpasswd);
  if (!read.ok) return read.faults.map(placedAt(pointer));
  return [...read.warnings.map(warnedAt(pointer)), ...strangers([...at, 'basic'], names, [...read.users.keys()])];
}

function digestUserFaults({ at, value: { digest } }: Route, around: GatewaySubject['around']): readonly Finding[] {
  if (digest === undefined) return [];
  const pointer = [...at, 'digest', 'users'];
  if (typeof digest.users !== 'string') return digestStoreFaults(pointer, digest.users);
  const read = readUserFile(digest.users, around, parseHtdigest);
  if (!read.ok) return read.faults.map(placedAt(pointer));
  const users = [...new Set(read.users.filter(({ realm }) => realm === digest.realm).map(({ username }) => username))];
  const found = [
    ...read.warnings.map(warnedAt(pointer)),
    ...strangers([...at, 'digest'], Object.keys(digest.scopes), users),
  ];
  if (users.length > 0) return found;
  const message = `no line of ${digest.users} is of the realm \`${digest.realm}\`, so nobody gets in`;
  const realms = [...new Set(read.users.map(({ realm }) => realm))];
  return [
    { pointer: [...at, 'digest', 'realm'], severity: 'warning', message, hint: didYouMean(digest.realm, realms) },
  ];
}

function digestStoreFaults(at: Pointer, { storage, encryption_keys }: DigestUsersInStore): readonly Finding[] {
  const faults = [
    ...sharedDatabaseFaults([...at, 'storage'], storage),
    ...(encryption_keys ?? []).flatMap((key, index) => secretKeyFaults([...at, 'encryption_keys', index], key)),
  ];
  if (!isPostgres(storage) || (encryption_keys ?? []).length > 0) return faults;
  const message = 'the hashes of Digest in a postgres database are sealed, and `encryption_keys` opens them';
  const hint = 'write the `encryption_keys` of the authorization service, such as ["${file:PATH}"]';
  return [...faults, { pointer: [...at, 'storage'], message, hint }];
}

/** An account has one spelling, and under another one nobody ever has this scope. */
function foldedFaults(pointer: Pointer, name: string): readonly Finding[] {
  const key = usernameKey(name);
  if (key === name) return [];
  return [{ pointer, message: `no account is called \`${name}\``, hint: `write \`${key}\``, atKey: true }];
}

function placedAt(pointer: Pointer): (fault: UserFileFault) => Finding {
  return ({ message, hint }) => ({ pointer, message, hint });
}

function warnedAt(pointer: Pointer): (fault: UserFileFault) => Finding {
  return ({ message, hint }) => ({ pointer, severity: 'warning', message, hint });
}

/** A slip here takes a scope from somebody, and gives it to whoever gets that name later. */
function strangers(at: Pointer, named: readonly string[], users: readonly string[]): readonly Finding[] {
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
