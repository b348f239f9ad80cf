import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { seconds } from '../../../src/base/clock.ts';
import { decodeKeys, keysBeside } from '../../../src/storage/engine/encryption-keys.ts';
import { unusable } from '../../../src/storage/engine/errors.ts';
import type { OpenOptions } from '../../../src/storage/engine/open-options.ts';
import { buildSeal } from '../../../src/storage/engine/seal.ts';
import { buildRecords, type Records } from '../../../src/storage/records/records.ts';
import { fileLogEngine } from './engine.ts';

/** `filelog:FILE`, relative to the configuration file. The sealing key is beside it. */
export async function openFileLog(location: string, options: OpenOptions): Promise<Records> {
  const file = resolve(options.directory, location);
  const isFirstStart = !existsSync(file);
  try {
    const engine = fileLogEngine(file, seconds(options.clock));
    const keys = decodeKeys(options.encryptionKeys) ?? keysBeside(file, { isFirstStart, warn: options.warn });
    return buildRecords(engine, buildSeal(keys));
  } catch (error) {
    throw unusable(file, error);
  }
}
