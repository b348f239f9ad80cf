import { usernameFault } from '../../base/username.ts';
import { parseStoredPassword, type StoredPassword } from './stored-password.ts';
import { type LineFault, type ParsedUsers, type UserLine, userLines } from './user-lines.ts';

/** Username → password. Names are case-sensitive. */
export type Htpasswd = ReadonlyMap<string, StoredPassword>;

/** Parses the format of Apache's htpasswd: `user:hash`, one user a line. */
export function parseHtpasswd(text: string): ParsedUsers<Htpasswd> {
  const users = new Map<string, StoredPassword>();
  const faults = userLines(text).flatMap((each) => add(users, each));
  return { users, faults };
}

const REMEDY = 'write it with `htpasswd -B FILE USER`, or write `user:` and the output of `gatehouse hash-password`';

function add(users: Map<string, StoredPassword>, { line, fields }: UserLine): readonly LineFault[] {
  const [username = '', hash, ...more] = fields;
  if (hash === undefined || more.length > 0) return [{ line, message: 'this is not `user:hash`', hint: REMEDY }];
  const fault = usernameFault(username);
  if (fault !== undefined) return [{ line, message: fault }];
  if (users.has(username)) return [{ line, message: `\`${username}\` occurs twice` }];
  const parsed = parseStoredPassword(hash);
  if (!parsed.ok) return [{ line, message: `the password of \`${username}\`: ${parsed.message}`, hint: REMEDY }];
  users.set(username, parsed.value);
  return [];
}
