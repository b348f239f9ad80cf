import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { textWithChosen } from './chosen.ts';
import { type Command, command } from './command.ts';
import { freePort } from './free-port.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

export interface ServedFile extends Command {
  readonly port: number;
  readonly adminUrl: string;
  readonly directory: string;
  /** How often the log has reported it. */
  said(text: string): number;
}

/**
 * `gatehouse gateway` as a process, with flags of Node.js. It serves with `gateway.yaml` of a directory, which `write`
 * writes.
 */
export async function servedFile(
  t: Test,
  write: (directory: string, listeners: string) => void,
  flags: readonly string[] = [],
  patience = 60_000,
): Promise<ServedFile> {
  const directory = temporaryFolder(t);
  const [port, admin] = [await freePort(), await freePort()];
  write(directory, listenersOn(port, admin));
  const started = command(t, ['gateway', '--config', join(directory, 'gateway.yaml')], { flags });
  if (!(await started.prints('gateway is listening', patience))) throw new Error(started.stdout() + started.stderr());
  return {
    ...started,
    port,
    directory,
    adminUrl: `http://127.0.0.1:${admin}`,
    said: (text) => started.stdout().split(text).length - 1,
  };
}

function listenersOn(port: number, admin: number): string {
  return `version: 1\nlisten: 127.0.0.1:${port}\nadmin: 127.0.0.1:${admin}\nlog: { format: json }\n`;
}

/** One public path to an upstream. */
export function onePath(upstream: string, path: string): string {
  return textWithChosen(
    [
      `upstreams: { api: { url: "${upstream}" } }`,
      'defaults: { upstream: api }',
      `routes: [{ id: one, match: { path: ${path} }, access: public }]`,
      '',
    ].join('\n'),
  );
}

export function writeIn(directory: string, name: string, text: string): void {
  writeFileSync(join(directory, name), text);
}

/** As editors and deployments do it: written beside the file, then renamed over it. */
export function replaceIn(directory: string, name: string, text: string): void {
  writeIn(directory, `.${name}.new`, text);
  renameSync(join(directory, `.${name}.new`), join(directory, name));
}

/** Whether the number of reloads in the log grows to this. */
export function reloaded({ said }: ServedFile, times: number): Promise<boolean> {
  return until(() => said('the configuration is reloaded') >= times);
}
