import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../children.ts';
import { pinned } from '../cores.ts';
import { htdigest } from '../http-auth-place.ts';
import { freePorts } from '../route-place.ts';
import { copyConfigurations, copyScripts, folderWithPackages } from './fixed-files.ts';
import { type AskedPorts, gatewayYaml } from './gateway-yaml.ts';
import type { Engine, Listener } from './part.ts';
import { type Algorithm, audience, buildMint, type Minted } from './tokens.ts';

/** The files of one part, and what is needed to start each program that takes part. */
export interface Place extends Minted {
  /** For configuration files, logs and pid files. The users that servers switch to can read it. */
  readonly folder: string;
  /** The folder of the fixed scripts. */
  readonly scripts: string;
  /** By the algorithm of their tokens. The server for ES256 is the benchmark's own. */
  readonly issuers: Readonly<Record<Algorithm, string>>;
  readonly issuerServer: Command;
  readonly upstream: Command;
  /** The port of our gateway with that engine. */
  readonly ports: Readonly<Record<Engine, number>>;
  /** Different ports, for the other programs. */
  readonly morePorts: readonly number[];
  /** The port of our gateway with `listener: auto`, or with the default file. */
  readonly autoPort: number;
  /** Our gateway. */
  gateway(engine: Engine, wish?: GatewayWish): Command;
  /** Writes its file, and returns the name. */
  gatewayFile(engine: Engine, wish?: GatewayWish): string;
  remove(): void;
}

export interface GatewayWish {
  /** Replaces its own port from `ports`. */
  readonly port?: number;
  /** Replaces `node`. */
  readonly listener?: Listener;
  /** The default file: it has no key for the listener, and a key for the engine only if the engine is not `own`. */
  readonly isDefault?: boolean;
  /** Tokens whose facts it caches. By default, the same number as in every part. */
  readonly remembered?: number;
  /** The port of its admin listener. */
  readonly admin?: number;
  /** The ports where Envoy asks. */
  readonly asked?: AskedPorts;
}

export const UPSTREAM = 9000;
const HS_ISSUER = 'https://hs.example.com';
const RS_ISSUER = 'https://rs.example.com';
export const launcher = fileURLToPath(new URL('../../bin/gatehouse.js', import.meta.url));
const issuerServer = fileURLToPath(new URL('issuer-server.ts', import.meta.url));

export async function preparePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  chmodSync(folder, 0o755);
  const scripts = folderWithPackages();
  copyScripts(scripts.folder);
  const [issuerPort = 0, own = 0, undici = 0, ...morePorts] = await freePorts(9);
  const ports = { own, undici };
  const issuers = { HS256: HS_ISSUER, RS256: RS_ISSUER, ES256: `http://127.0.0.1:${issuerPort}` };
  const minted = buildMint(issuers);
  copyConfigurations(folder, {
    'haproxy.cfg': { ISSUER: issuers.RS256 },
    'envoy.yaml': { ISSUER: issuers.ES256, AUDIENCE: audience },
  });
  for (const [name, text] of Object.entries(minted.publicKeys)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'jwks.json'), JSON.stringify(minted.keys));
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify(minted.keys));
  writeFileSync(join(folder, 'users.htdigest'), htdigest(), { mode: 0o600 });
  const gatewayFile = (
    engine: Engine,
    { port = ports[engine], listener = 'node', isDefault = false, remembered, admin, asked }: GatewayWish = {},
  ) => {
    const file = join(folder, `gateway-${port}.yaml`);
    const keys = isDefault
      ? { listener: undefined, engine: engine === 'own' ? undefined : engine }
      : { listener, engine };
    writeFileSync(file, gatewayYaml({ port, ...keys, issuers, remembered, admin, asked }));
    return file;
  };
  const gateway = (engine: Engine, wish: GatewayWish = {}) => {
    const args = [launcher, 'gateway', '--config', gatewayFile(engine, wish)];
    return measured({ file: process.execPath, args, ports: [wish.port ?? ports[engine]] });
  };
  return {
    ...minted,
    folder,
    scripts: scripts.folder,
    issuers,
    issuerServer: beside({
      file: process.execPath,
      args: [issuerServer, String(issuerPort), keys],
      ports: [issuerPort],
    }),
    upstream: beside(nginx(folder, 'upstream.conf', [UPSTREAM])),
    ports,
    morePorts,
    // The last one, because other programs use the first ones.
    autoPort: morePorts.at(-1) ?? 0,
    gateway,
    gatewayFile,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
      scripts.remove();
    },
  };
}

export function measured(command: Command): Command {
  return pinned(command, 'contender');
}

export function beside(command: Command): Command {
  return pinned(command, 'load');
}

/** In the foreground. */
export function nginx(folder: string, name: string, ports: readonly number[]): Command {
  return { file: 'nginx', args: ['-p', folder, '-c', join(folder, name), '-g', 'daemon off;'], ports };
}
