import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Block, root } from './blocks.ts';
import type { Place } from './programs.ts';
import { shell } from './shell.ts';

/** Text in a page → its value in this test, such as the address of a database. */
export type Replaced = Readonly<Record<string, string>>;

export interface Conditions {
  readonly env?: Readonly<Record<string, string>>;
  readonly replaced?: Replaced;
  /** Ports of the page that the test has chosen. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Creates what the page assumes, such as certificates. */
  readonly prepare?: (directory: string) => void;
  /** Blocks that this test does not run. */
  readonly skips?: (block: Block) => boolean;
  /** Handlers of languages that only this page has. */
  readonly more?: Readonly<Record<string, Handler>>;
}

export interface Followed extends Place {
  readonly t: Test;
  readonly replaced: Replaced;
  /** Text of the page with the ports and addresses of this test. */
  moved(text: string): string;
  /** The output of the last shell block, with the ports of the page. */
  printed: string;
  /** Files of the page that no command has used yet, with their places. */
  readonly unused: Map<string, string>;
}

/** Does what the page tells its reader to do with such a block, and checks what it promises. */
export type Handler = (block: Block, followed: Followed) => void | Promise<void>;

const PORTS = ['3001', '8080', '8081', '8082', '8443', '9000', '9900', '9901', '9902', '9903', '18081', '19903'];

/** A folder that looks like a checkout, with a shell in it. */
export async function start(
  t: Test,
  { env = {}, replaced = {}, ports: chosen = {}, prepare }: Conditions,
): Promise<Followed> {
  const directory = temporaryFolder(t);
  for (const name of ['bin', 'config', 'docs', 'helm']) symlinkSync(join(root, name), join(directory, name));
  prepare?.(directory);
  const ports: Record<string, string> = {};
  for (const port of PORTS) ports[port] = String(chosen[port] ?? (await freePort()));
  const moved = (text: string) => Object.entries(replaced).reduce(replaceOne, onPorts(text, ports));
  return { t, directory, ports, replaced, moved, printed: '', unused: new Map(), shell: shell(t, directory, env) };
}

const replaceOne = (text: string, [shown, real]: readonly [string, string]) => text.replaceAll(shown, real);

/** A port follows one of these. Other numbers with the same digits do not. */
function onPorts(text: string, ports: Readonly<Record<string, string>>): string {
  return text.replace(/(?<=[:(= ]|127\.0\.0\.1", )(\d{4,5})\b/g, (port) => ports[port] ?? port);
}

/** Replaces the ports and addresses of this test with those of the page. */
export function asShown(text: string, { ports, replaced }: Followed): string {
  const shown = new Map(Object.entries(ports).map(([page, real]) => [real, page]));
  const named = Object.entries(replaced).reduce((told, [page, real]) => told.replaceAll(real, page), text);
  return named.replaceAll('\r', '').replace(/\b\d{4,5}\b/g, (port) => shown.get(port) ?? port);
}
