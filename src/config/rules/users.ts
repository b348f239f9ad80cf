import { isQuicklyGuessed, parsePasswordHash } from '../../base/password-hash.ts';
import { passwordFaults, preparePassword } from '../../base/password-text.ts';
import { usernameFault, usernameKey } from '../../base/username.ts';
import type { UserFile } from '../schema/user.ts';
import type { Finding } from '../words/problem.ts';
import { type Check, type Checks, type Member, repeated } from './checks.ts';
import type { AuthorizationSubject } from './subject.ts';

type User = Member<UserFile>;

/** Rules for the users in the file. */
export const userChecks: Checks<AuthorizationSubject> = {
  usernames: each(nameFaults),
  'username twice': ({ users }) => repeated(users, ({ value }) => usernameKey(value.username)).map(sameName),
  'password of a user': ({ users, config }) => users.flatMap((user) => passwordFaultsOf(user, config.development)),
  'subject of a user': each(subjectFaults),
  'subject twice': ({ users }) => repeated(users, ({ value }) => subjectOf(value)).flatMap(sameSubject),
  'subject of a client': ({ users, clients }) => {
    const ids = new Set(clients.map(({ value }) => value.client_id ?? value.app_id));
    return users.filter(({ value }) => ids.has(subjectOf(value))).map(clientSubject);
  },
};

function each(check: (user: User) => readonly Finding[]): Check<AuthorizationSubject> {
  return ({ users }) => users.flatMap(check);
}

const subjectOf = ({ subject, username }: UserFile) => subject ?? username;
const subjectKey = ({ subject }: UserFile) => (subject === undefined ? 'username' : 'subject');

function nameFaults({ at, value }: User): readonly Finding[] {
  const message = usernameFault(value.username);
  return message === undefined ? [] : [{ pointer: [...at, 'username'], message }];
}

function sameName([{ at, value }, earlier]: readonly [User, User]): Finding {
  return {
    pointer: [...at, 'username'],
    message: `\`${value.username}\` is the same username as \`${earlier.value.username}\` of another user`,
    hint: 'choose another username: usernames ignore case',
  };
}

const MAKE_ONE = 'make one with `gatehouse hash-password`';

function passwordFaultsOf({ at, value }: User, isDevelopment: boolean): readonly Finding[] {
  const { password, password_argon2 } = value;
  if (password === undefined && password_argon2 === undefined)
    return [
      {
        pointer: at,
        message: `\`${value.username}\` has no password`,
        hint: `write \`password_argon2: …\`; ${MAKE_ONE}`,
      },
    ];
  if (password !== undefined && password_argon2 !== undefined) {
    const message = 'the password is given as text and as a hash';
    return [{ pointer: [...at, 'password'], message, hint: 'remove one', atKey: true }];
  }
  return password === undefined ? hashFaults(at, password_argon2 ?? '') : plainFaults(at, password, isDevelopment);
}

function plainFaults(at: User['at'], password: string, isDevelopment: boolean): readonly Finding[] {
  const pointer = [...at, 'password'];
  if (!isDevelopment) {
    const message = 'a plain password in a file requires `development: true`';
    return [{ pointer, message, hint: `write \`password_argon2: …\`; ${MAKE_ONE}`, atKey: true }];
  }
  const prepared = preparePassword(password);
  return prepared.kind === 'prepared' ? [] : [{ pointer, message: passwordFaults[prepared.reason] }];
}

function hashFaults(at: User['at'], text: string): readonly Finding[] {
  const pointer = [...at, 'password_argon2'];
  const parsed = parsePasswordHash(text);
  if (!parsed.ok) return [{ pointer, message: parsed.message, hint: MAKE_ONE }];
  if (!isQuicklyGuessed(parsed.value)) return [];
  const message = 'a thief of this hash can try passwords quickly: increase memory and passes';
  return [{ pointer, severity: 'warning', message, hint: MAKE_ONE }];
}

/** OpenID Connect Core §2, `sub`. */
function subjectFaults({ at, value }: User): readonly Finding[] {
  if (/^[\x20-\x7e]{1,255}$/.test(subjectOf(value))) return [];
  const message = 'a subject is ASCII text of at most 255 characters (OpenID Connect Core §2)';
  const hint = value.subject === undefined ? 'write `subject: …`; by default, the username is the subject' : undefined;
  return [{ pointer: [...at, subjectKey(value)], message, hint }];
}

/** If the usernames are equal too, another check already reports it. */
function sameSubject([{ at, value }, earlier]: readonly [User, User]): readonly Finding[] {
  if (usernameKey(value.username) === usernameKey(earlier.value.username)) return [];
  const message = `another user has the subject \`${subjectOf(value)}\``;
  return [{ pointer: [...at, subjectKey(value)], message, hint: 'give each user a different subject' }];
}

/** RFC 9068 §5: a token that a client gets for itself has the client's id as `sub`. */
function clientSubject({ at, value }: User): Finding {
  return {
    pointer: [...at, subjectKey(value)],
    message: `\`${subjectOf(value)}\` is the id of a client: its own tokens have the same \`sub\` (RFC 9068 §5), so an API cannot tell the user from the client`,
    hint: 'write another `subject: …`',
  };
}
