import { usernameFault } from '../../base/username.ts';
import type { StoredAlgorithm } from '../../http-auth/digest-algorithms.ts';
import { type LineFault, type ParsedUsers, type UserLine, userLines } from './user-lines.ts';

/** The hash of a line: H(user:realm:password), in lower case. It is as good as the password. */
export interface HtdigestEntry {
  readonly username: string;
  readonly realm: string;
  readonly algorithm: StoredAlgorithm;
  readonly ha1: string;
  readonly line: number;
}

/** Parses the format of Apache's htdigest: `user:realm:hash`. The algorithm may come before the hash. */
export function parseHtdigest(text: string): ParsedUsers<readonly HtdigestEntry[]> {
  const seen = new Set<string>();
  const users: HtdigestEntry[] = [];
  const faults = userLines(text).flatMap((each) => {
    const entry = parseLine(each);
    if ('message' in entry) return [entry];
    const { username, realm, algorithm } = entry;
    const key = JSON.stringify([username, realm, algorithm]);
    if (seen.has(key)) return [{ line: each.line, message: `\`${username}\` occurs twice for ${algorithm}` }];
    seen.add(key);
    users.push(entry);
    return [];
  });
  return { users, faults };
}

const lengths: Readonly<Record<StoredAlgorithm, number>> = { MD5: 32, 'SHA-256': 64, 'SHA-512-256': 64 };

const REMEDY =
  'write `user:realm:HEX`, where HEX is MD5 or SHA-256 of `user:realm:password`, or `user:realm:ALGORITHM:HEX`';

function parseLine({ line, fields }: UserLine): HtdigestEntry | LineFault {
  const [username = '', realm = '', third, fourth, ...more] = fields;
  const ha1 = (fourth ?? third ?? '').toLowerCase();
  const algorithm = fourth === undefined ? byLength(ha1) : algorithmNamed(third ?? '');
  if (third === undefined || more.length > 0) return { line, message: 'this is not `user:realm:hash`', hint: REMEDY };
  if (algorithm === undefined || ha1.length !== lengths[algorithm] || !/^[0-9a-f]+$/.test(ha1))
    return { line, message: `the hash of \`${username}\` is not a hash of a known algorithm`, hint: REMEDY };
  const fault = usernameFault(username);
  return fault === undefined ? { username, realm, algorithm, ha1, line } : { line, message: fault };
}

function byLength({ length }: string): StoredAlgorithm | undefined {
  return length === 32 ? 'MD5' : length === 64 ? 'SHA-256' : undefined;
}

function algorithmNamed(text: string): StoredAlgorithm | undefined {
  return (Object.keys(lengths) as StoredAlgorithm[]).find((name) => name === text.toUpperCase());
}
