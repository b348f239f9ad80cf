import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { Test } from 'tap';
import { buildLog } from '../../src/base/log.ts';
import { loadGatewayConfig } from '../../src/config/load/load.ts';
import { type RunningGateway, startGateway } from '../../src/gateway/lifecycle/start.ts';
import { gatewayYaml } from './gateway.ts';
import { temporaryFolder } from './temporary-folder.ts';

type Reload = NonNullable<RunningGateway['reload']>;

export interface ReloadableGateway extends RunningGateway {
  readonly reload: Reload;
  readonly directory: string;
  /** Log lines, parsed. */
  readonly log: readonly Record<string, unknown>[];
  /** Writes the file, and reloads it. */
  take(body: object | string): ReturnType<Reload>;
  /** Like `take`, with the file as given. */
  takeText(text: string | Buffer): ReturnType<Reload>;
  metric(name: string): Promise<number>;
}

/** A gateway in this process with its own configuration file, closed after the test. */
export async function reloadable(
  t: Test,
  body: object,
  files: Record<string, string> = {},
): Promise<ReloadableGateway> {
  const directory = temporaryFolder(t);
  const file = join(directory, 'gateway.yaml');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const admin = { admin: '127.0.0.1:0' };
  writeFileSync(file, gatewayYaml({ ...admin, ...body }));
  const load = () => loadGatewayConfig(file, {});
  const loaded = load();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems, undefined, 2));
  const { log, sink } = memoryLog();
  const { config, locate } = loaded;
  const running = await startGateway({
    config,
    directory,
    locate,
    load,
    log: buildLog({ level: 'debug', format: 'json' }, sink),
  });
  t.teardown(() => running.stop());
  const reload = running.reload as Reload;
  const takeText = (text: string | Buffer) => {
    writeFileSync(file, text);
    return reload();
  };
  return {
    ...running,
    reload,
    directory,
    log,
    takeText,
    take: (next) => takeText(gatewayYaml(typeof next === 'string' ? next : { ...admin, ...next })),
    metric: (name) => metric(running.adminUrl as string, name),
  };
}

function memoryLog(): { log: Record<string, unknown>[]; sink: Writable } {
  const log: Record<string, unknown>[] = [];
  const write = (line: Buffer, _encoding: string, done: () => void) => {
    log.push(JSON.parse(String(line)));
    done();
  };
  return { log, sink: new Writable({ write }) };
}

async function metric(adminUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}
