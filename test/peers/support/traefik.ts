import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { parse, stringify } from 'yaml';
import { freePort } from '../../support/free-port.ts';
import { type Addresses, blockOf, type FrontProxy, started } from '../../support/front-proxy.ts';
import { peerFile } from '../../support/peer-place.ts';
import { ask } from '../../support/raw-client.ts';
import { requestText } from '../../support/request-text.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

export const peer = 'traefik-3.7.13';

/** Traefik with both files of the page. */
export async function traefik(t: Test, page: string, addresses: Addresses): Promise<FrontProxy> {
  const directory = temporaryFolder(t);
  const port = await freePort();
  const [install, routing] = ['install', 'routing'].map((name) => join(directory, `${name}.yml`)) as [string, string];
  const { entryPoints } = parse(blockOf(page, 'yml', {}, '# Traefik'));
  const own = {
    entryPoints: { web: { ...entryPoints.web, address: `127.0.0.1:${port}` } },
    providers: { file: { filename: routing } },
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    log: { level: 'WARN' },
  };
  writeFileSync(install, stringify(own));
  writeFileSync(routing, blockOf(page, 'yml', addresses, '# routing'));
  const child = spawn(peerFile(peer, 'traefik'), ['--configFile', install], { stdio: 'pipe' });
  const proxy = await started(t, port, child);
  if (!(await until(() => hasRoutes(port), 30_000))) throw new Error(`it has no routes: ${proxy.log()}`);
  return proxy;
}

/** Traefik listens before it has read its routes. Until then, every answer is its own 404. */
async function hasRoutes(port: number): Promise<boolean> {
  const { body } = await ask(port, requestText({}));
  return body.toString() !== '404 page not found\n';
}
