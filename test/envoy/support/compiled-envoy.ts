import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { parse, stringify } from 'yaml';
import { keysOfFiles } from '../../../src/commands/compile/key-files.ts';
import { loadGatewayText } from '../../../src/config/load/load.ts';
import { makePlan, type UnsupportedMode } from '../../../src/gateway/compile/make-plan.ts';
import type { CompilePlan } from '../../../src/gateway/compile/plan.ts';
import { compileTargets } from '../../../src/gateway/compile/targets.ts';
import { freePort } from '../../support/free-port.ts';
import { type FrontProxy, started } from '../../support/front-proxy.ts';
import { gatewayYaml } from '../../support/gateway.ts';
import { peerFile } from '../../support/peer-place.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

export interface Compiled {
  readonly plan: CompilePlan;
  readonly text: string;
}

/** Compiles the text of a gateway file. */
export async function compiled(
  text: string,
  {
    mode = 'error',
    file = 'gateway.yaml',
    env = {},
  }: { mode?: UnsupportedMode; file?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Compiled> {
  const loaded = loadGatewayText(text, { file, env });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, undefined, 2));
  const keys = await keysOfFiles(loaded.config, loaded.directory);
  const plan = makePlan({ ...loaded, source: { file, hash: 'hash' }, keys }, mode);
  return { plan, text: compileTargets.envoy?.render(plan) ?? '' };
}

/** A wrong compile, for a test that must find it. Changes the configuration in place. */
// biome-ignore lint/suspicious/noExplicitAny: the configuration of another program, which has no types here
export type Sabotage = (configuration: any) => void;

/** A running Envoy with the compiled file. */
export async function compiledEnvoy(
  t: Test,
  body: object,
  { sabotage, mode = 'error' }: { sabotage?: Sabotage | undefined; mode?: UnsupportedMode } = {},
): Promise<FrontProxy & { readonly plan: CompilePlan }> {
  const port = await freePort();
  const { plan, text } = await compiled(gatewayYaml({ ...body, listen: `127.0.0.1:${port}` }), { mode });
  const stopping = plan.findings.filter(({ askable }) => mode === 'error' || askable === false);
  if (mode !== 'omit' && stopping.length > 0) throw new Error(JSON.stringify(stopping, undefined, 2));
  const configuration = parse(text);
  sabotage?.(configuration);
  const file = join(temporaryFolder(t), 'envoy.yaml');
  writeFileSync(file, sabotage === undefined ? text : stringify(configuration, { aliasDuplicateObjects: false }));
  return { ...(await runEnvoy(t, port, file)), plan };
}

/** Envoy with this file, which listens at the port. */
export function runEnvoy(t: Test, port: number, file: string): Promise<FrontProxy> {
  return started(t, port, run('-c', file, '--log-level', 'warning'));
}

function run(...args: readonly string[]): ChildProcess {
  return spawn(program(), [...args, '--concurrency', '1', '--disable-hot-restart'], { stdio: 'pipe' });
}

function program(): string {
  const file = peerFile('envoy-1.40.0', 'venv/lib/python*/site-packages/envoy/_bin/envoy');
  chmodSync(file, 0o755);
  return file;
}

/** What `--mode validate` prints at the level of a warning and above. Empty: Envoy accepts the file. */
export function faultsOf(t: Test, text: string): string {
  const file = join(temporaryFolder(t), 'envoy.yaml');
  writeFileSync(file, text);
  const args = ['--mode', 'validate', '-c', file, '--log-level', 'warning'];
  const { status, stdout, stderr } = spawnSync(program(), args, { encoding: 'utf8' });
  const printed = (stdout + stderr).replace(`configuration '${file}' OK\n`, '').trim();
  return status === 0 ? printed : `status ${status}: ${printed}`;
}
