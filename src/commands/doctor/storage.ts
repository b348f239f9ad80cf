import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readableByEverybody, secretFileFault } from '../../base/file-mode.ts';
import { maskPasswords } from '../../config/frame.ts';
import { type StoreState, storeState } from '../../storage/store-state.ts';
import { judgeClocks } from './clock-difference.ts';
import { bad, doubtful, good, type Probe, type Seen } from './finding.ts';
import { judgeFolder } from './folder.ts';
import { storeFault } from './store-fault.ts';
import type { Around, AuthorizationSubject } from './subject.ts';

/** The store opens, is of this version, and can be written. */
export function storage(subject: AuthorizationSubject, around: Around): readonly Probe[] {
  const { storage: url } = subject.config;
  const file = fileOf(subject);
  const shown = maskPasswords(url);
  const state = { about: `storage ${shown}`, look: () => lookAt(subject, file, around) };
  if (file === undefined) return [state];
  const folder = { about: `the folder of ${shown}`, look: () => judgeFolder(dirname(file)) };
  return [state, folder, ...modes(file, subject.config.encryption_keys === undefined)];
}

/** Undefined: no file. */
function fileOf({ config, directory }: AuthorizationSubject): string | undefined {
  const [, location] = /^sqlite:(.+)$/s.exec(config.storage) ?? [];
  return location === undefined || location === ':memory:' ? undefined : resolve(directory, location);
}

async function lookAt(
  { config: { storage: url }, directory }: AuthorizationSubject,
  file: string | undefined,
  { clock }: Around,
): Promise<Seen | readonly Seen[]> {
  if (url === 'sqlite::memory:')
    return doubtful('everything is forgotten when the program ends', 'name a file: sqlite:data/gatehouse.db');
  if (file !== undefined && !existsSync(file))
    return doubtful('not there yet', 'the first start makes it; where there was one, see whether the path is right');
  try {
    const state = await storeState(url, { directory, clock });
    return [judgeVersion(state), ...judgeServerClock(state, clock.now())];
  } catch (error) {
    return storeFault(error, 'see whether the server runs, and whether the user may read there');
  }
}

const MIGRATE = '`gatehouse authorization --config FILE --migrate-only` does it, and so does the next start';

function judgeVersion({ missing, isEmpty }: StoreState): Seen {
  if (isEmpty) return doubtful('has no tables yet', MIGRATE);
  if (missing > 0) return doubtful(`${missing} migrations are still to be done`, MIGRATE);
  return good('opens, and has the tables of this version');
}

/** Milliseconds. Times are ours alone; logs of two machines are read side by side. */
const ALLOWED = 30_000;

function judgeServerClock({ now }: StoreState, ours: number): readonly Seen[] {
  return now === undefined
    ? []
    : [judgeClocks({ theirs: now, ours, allowed: ALLOWED, harm: 'logs do not fit together' })];
}

function modes(file: string, hasOwnKey: boolean): readonly Probe[] {
  if (!existsSync(file)) return [];
  const database = { about: `the mode of ${file}`, look: () => judgeDatabase(file) };
  const key = `${file}.key`;
  return [database, ...(hasOwnKey ? [{ about: `the key ${key}`, look: () => judgeKey(key, file) }] : [])];
}

function judgeDatabase(file: string): Seen {
  return readableByEverybody(file) === undefined
    ? good('closed to everybody else')
    : doubtful('can be read or written by everybody on this machine', `chmod 600 ${file}`);
}

/** With an open one, and without the one under which its secrets are sealed, the program does not start. */
function judgeKey(key: string, file: string): Seen {
  if (!existsSync(key) && statSync(file).size > 0)
    return bad(
      'is missing: the database holds keys that are sealed under it',
      'bring it back from where the database came from',
    );
  const fault = secretFileFault(key);
  if (fault === undefined) return good('closed to everybody else');
  return (fault.verdict === 'refused' ? bad : doubtful)(fault.message, fault.hint);
}
