import type { FileContext } from '../../config/files/referred-file.ts';
import { readUserFile } from '../../config/files/user-file.ts';
import type { ParsedUsers } from '../../config/files/user-lines.ts';
import type { SchemeScene } from './scheme.ts';

/** The file was valid a moment ago. If it is invalid now, none of its users gets access (advisory 61). */
export function usersOfFile<Users>(
  { directory, log, contents }: Pick<SchemeScene, 'directory' | 'log' | 'contents'>,
  path: string,
  parse: (text: string) => ParsedUsers<Users>,
  noUsers: Users,
): Users {
  const place: FileContext = { directory, contents };
  const read = readUserFile(path, place, parse);
  if (read.ok) return read.users;
  log.error({ file: path, faults: read.faults }, 'a user file is now invalid: none of its users can log in');
  return noUsers;
}
