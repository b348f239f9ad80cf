import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { build, type Image } from '../../tools/container/build.ts';
import { type RunOptions, runImage } from '../../tools/container/run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const context = fileURLToPath(new URL('../../', import.meta.url));

/** The images of the Dockerfile, deleted after the test. */
export function images(t: Test): { readonly gateway: Image; readonly authorization: Image } {
  const folder = temporaryFolder(t);
  const built = build({ context, folder });
  const [gateway, authorization] = [built.get('gateway'), built.get('authorization')];
  if (gateway === undefined || authorization === undefined) throw new Error('Dockerfile: a stage is missing');
  return { gateway, authorization };
}

export interface Container {
  readonly process: ChildProcess;
  output(): string;
  /** Its exit status, or the signal that ended it. */
  ended(): Promise<number | string | null>;
}

/** Ended with the test at the latest. */
export function container(t: Test, of: Image, options: RunOptions = {}): Container {
  const child = runImage(of, options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const closed = once(child, 'close');
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await closed;
  });
  const ended = async () => {
    await closed;
    return child.exitCode ?? child.signalCode;
  };
  return { process: child, output: () => output, ended };
}

/** A container of a program that is ready, with its configuration file and a separate volume. */
export async function running(
  t: Test,
  of: Image,
  { program, config, env = {} }: { program: string; config: object; env?: Record<string, string> },
): Promise<Container & { readonly data: string; readonly options: RunOptions }> {
  const folder = temporaryFolder(t);
  const [etc, data] = [join(folder, 'etc'), join(folder, 'data')];
  for (const each of [etc, data]) mkdirSync(each);
  writeFileSync(join(etc, `${program}.yaml`), stringify({ version: 1, ...config }));
  chownSync(data, 65532, 65532);
  const options = { mounts: { '/etc/gatehouse': etc }, volumes: { '/data': data }, env };
  const started = container(t, of, options);
  const isReady = () => started.output().includes('"msg"') || started.process.exitCode !== null;
  if (!(await until(isReady)) || started.process.exitCode !== null) throw new Error(started.output());
  return { ...started, data, options };
}
