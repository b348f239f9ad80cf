import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readableByEverybody, secretFileFault } from '../../base/file-mode.ts';
import { storagePlace } from '../../base/storage-urls.ts';
import { maskPasswords } from '../../config/yaml/frame.ts';
import { decodeKeys, keyIds } from '../../storage/engine/encryption-keys.ts';
import { type StoreState, storeState } from '../../storage/store-state.ts';
import { judgeClocks } from './clocks.ts';
import { storeFault } from './faults.ts';
import { judgeFolder } from './files.ts';
import { bad, type DoctorProbe, doubtful, good, type Seen } from './finding.ts';
import type { DoctorContext, LoadedServiceFile } from './subject.ts';

/**
 * How many values each of `encryption_keys` still seals. A key file beside the database has one key, so this check does not
 * apply.
 */
export function judgeSeals({ sealed }: StoreState, texts: readonly string[] | undefined): readonly Seen[] {
  const keys = decodeKeys(texts);
  if (keys === undefined) return [];
  const ids = keyIds(keys);
  const unknown = [...sealed].filter(([id]) => !ids.includes(id)).reduce((sum, [, count]) => sum + count, 0);
  const lost = unknown === 0 ? [] : [bad(`${unknown} values are sealed with a key that is missing`, BRING_BACK)];
  return [...lost, ...ids.slice(1).map((id, index) => judgeOld(sealed.get(id) ?? 0, index + 1))];
}

const BRING_BACK = 'add the removed key to `encryption_keys` again, after the first key';

function judgeOld(count: number, index: number): Seen {
  const key = `encryption_keys[${index}]`;
  return count === 0
    ? good(`${key} no longer seals any value: remove it`)
    : doubtful(
        `${key} still seals ${count} values`,
        '`gatehouse key reseal --config FILE` seals them under the first key',
      );
}

/** The store opens, has the tables of this version, and is writable. */
export function storageChecks(subject: LoadedServiceFile, around: DoctorContext): readonly DoctorProbe[] {
  const { storage: url } = subject.config;
  const file = fileOf(subject);
  const shown = maskPasswords(url);
  const state = { about: `storage ${shown}`, look: () => lookAt(subject, file, around) };
  if (file === undefined) return [state];
  const folder = { about: `the folder of ${shown}`, look: () => judgeFolder(dirname(file)) };
  return [state, folder, ...modes(file, subject.config.encryption_keys === undefined)];
}

/** Undefined: the store is not a file. */
function fileOf({ config, directory }: LoadedServiceFile): string | undefined {
  const place = storagePlace(config.storage);
  return place?.kind === 'file' ? resolve(directory, place.path) : undefined;
}

async function lookAt(
  { config: { storage: url, encryption_keys }, directory }: LoadedServiceFile,
  file: string | undefined,
  { clock }: DoctorContext,
): Promise<Seen | readonly Seen[]> {
  if (storagePlace(url)?.kind === 'memory')
    return doubtful('all data is lost when the program ends', 'set a file: sqlite:data/gatehouse.db');
  if (file !== undefined && !existsSync(file))
    return doubtful('does not exist yet', 'the first start creates it; if you had a database before, check the path');
  try {
    const state = await storeState(url, { directory, clock });
    return [judgeVersion(state), ...judgeSeals(state, encryption_keys), ...judgeServerClock(state, clock.now())];
  } catch (error) {
    return storeFault(error, 'check that the server runs, and that the user may read the database');
  }
}

const MIGRATE = 'run `gatehouse authorization --config FILE --migrate-only`, or start the service';

function judgeVersion({ missing, isEmpty }: StoreState): Seen {
  if (isEmpty) return doubtful('has no tables yet', MIGRATE);
  if (missing > 0) return doubtful(`${missing} migrations are missing`, MIGRATE);
  return good('opens, and has the tables of this version');
}

/** Milliseconds. The store uses only our clock, but operators compare the logs of two machines. */
const ALLOWED = 30_000;

function judgeServerClock({ now }: StoreState, ours: number): readonly Seen[] {
  return now === undefined
    ? []
    : [judgeClocks({ theirs: now, ours, allowed: ALLOWED, harm: 'logs are hard to correlate' })];
}

function modes(file: string, hasOwnKey: boolean): readonly DoctorProbe[] {
  if (!existsSync(file)) return [];
  const database = { about: `the mode of ${file}`, look: () => judgeDatabase(file) };
  const key = `${file}.key`;
  return [database, ...(hasOwnKey ? [{ about: `the key ${key}`, look: () => judgeKey(key, file) }] : [])];
}

function judgeDatabase(file: string): Seen {
  return readableByEverybody(file) === undefined
    ? good('readable by its owner only')
    : doubtful('other users of this machine can read or write it', `chmod 600 ${file}`);
}

/** If others can read the key, this is a warning. If the key of stored secrets is missing, the program does not start. */
function judgeKey(key: string, file: string): Seen {
  if (!existsSync(key) && statSync(file).size > 0)
    return bad(
      'is missing, and sealed keys in the database need it',
      'copy it from the machine or the backup that the database came from',
    );
  const fault = secretFileFault(key);
  if (fault === undefined) return good('readable by its owner only');
  return (fault.verdict === 'refused' ? bad : doubtful)(fault.message, fault.hint);
}
