import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Loaded } from '../../config/load/load.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { makePlan, type PlanOptions, type UnsupportedMode } from '../../gateway/compile/make-plan.ts';
import type { CompilePlan } from '../../gateway/compile/plan.ts';
import { keysOfFiles } from './key-files.ts';
import { testKeys, withTestKeys } from './test-keys.ts';

type LoadedFile = Pick<Extract<Loaded<GatewayConfig>, { ok: true }>, 'config' | 'directory' | 'locate'>;

export interface PlanWish {
  /** The gateway file. */
  readonly file: string;
  readonly mode: UnsupportedMode;
  /** The file of keys for tests. */
  readonly testKeyFile?: string | undefined;
  readonly view: PlanOptions;
}

/** The plan of a loaded file, with the keys that its servers have in files. */
export async function planOfFile(
  loaded: LoadedFile,
  { file, mode, testKeyFile, view }: PlanWish,
): Promise<CompilePlan> {
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  const own = await keysOfFiles(loaded.config, loaded.directory);
  const keys = testKeyFile === undefined ? own : withTestKeys(loaded.config, own, await testKeys(testKeyFile));
  return makePlan({ ...loaded, source: { file, hash, testKeys: testKeyFile }, keys }, mode, view);
}
