import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/base/clock.ts';
import { openRecords } from '../src/storage/open.ts';
import type { Records } from '../src/storage/records/records.ts';
import { authorizationYaml, encryptionKey } from './authorization-config.ts';
import type { Command } from './children.ts';
import { makeCodes } from './codes.ts';
import { pinned } from './cores.ts';
import { folderOn, type PlaceOfData, places } from './disk.ts';
import { keycloak, keycloakMissing } from './keycloak/contender.ts';
import { makePostgres, postgresMissing, postgresUrl } from './postgres.ts';
import { freePorts } from './route-place.ts';

/** A service that issues tokens, in a separate process. */
export interface ServiceContender {
  readonly name: string;
  /** Started before the service, and measured separately. */
  readonly database: Command | undefined;
  readonly service: Command;
  readonly endpoints: { readonly token: string; readonly introspect: string };
  /** Seconds of each workload before the first round, for a service that compiles itself while it runs. */
  readonly warmUp?: number;
  /** More codes a second than it exchanges, for a service whose codes cost much. */
  readonly exchanged?: number;
  /** As many codes that a user granted to `web` as requested. */
  codes(count: number): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface AuthorizationPlace {
  readonly contenders: readonly ServiceContender[];
  /** Files of the load generators. */
  readonly folder: string;
  readonly folders: Readonly<Partial<Record<PlaceOfData, string>>>;
  /** Contenders that cannot take part, and why. */
  readonly absent: readonly string[];
  remove(): void;
}

/** The others run beside it. */
export const YARDSTICK = 'oidc-provider, in memory';

const launcher = fileURLToPath(new URL('../bin/gatehouse.js', import.meta.url));
const provider = fileURLToPath(new URL('oidc-provider.ts', import.meta.url));

export async function prepareAuthorization(): Promise<AuthorizationPlace> {
  const folders = Object.fromEntries(places.map((place) => [place, folderOn(place)]));
  const present = places.flatMap((place) => (folders[place] === undefined ? [] : [{ place, folder: folders[place] }]));
  const missing = postgresMissing();
  const noKeycloak = keycloakMissing();
  const used = present.map(({ folder }) => folder);
  const contenders = [await oidcProvider()];
  if (noKeycloak === undefined) contenders.push(await keycloak(used[0] as string));
  for (const { place, folder } of present) contenders.push(await sqliteContender(place, folder));
  if (missing === undefined)
    for (const { place, folder } of present) contenders.push(await postgresContender(place, folder));
  return {
    contenders,
    folder: used[0] as string,
    folders,
    absent: [
      ...places.filter((place) => folders[place] === undefined).map((place) => `nothing on ${place}: no such folder`),
      ...[missing, noKeycloak].filter((each) => each !== undefined),
    ],
    remove() {
      for (const folder of used) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function oidcProvider(): Promise<ServiceContender> {
  const [port = 0, codes = 0] = await freePorts(2);
  const env = { PORT: String(port), CODES: String(codes), NODE_ENV: 'production' };
  const url = `http://127.0.0.1:${port}`;
  return {
    name: YARDSTICK,
    database: undefined,
    service: pinned({ file: process.execPath, args: [provider], env, ports: [port, codes] }, 'contender'),
    endpoints: { token: `${url}/token`, introspect: `${url}/token/introspection` },
    async codes(count) {
      const response = await fetch(`http://127.0.0.1:${codes}`, { method: 'POST', body: String(count) });
      return (await response.text()).split('\n');
    },
    close: async () => {},
  };
}

async function sqliteContender(place: PlaceOfData, parent: string): Promise<ServiceContender> {
  const folder = subfolder(parent, 'sqlite');
  return ours(`gatehouse, SQLite on ${place}`, { folder, storage: `sqlite:${join(folder, 'gatehouse.db')}` });
}

async function postgresContender(place: PlaceOfData, parent: string): Promise<ServiceContender> {
  const folder = subfolder(parent, 'postgres');
  const [port = 0] = await freePorts(1);
  const database = pinned(makePostgres(subfolder(folder, 'server'), port), 'database');
  return ours(`gatehouse, PostgreSQL on ${place}`, { folder, storage: postgresUrl(port), database });
}

/** Readable for the user that PostgreSQL runs as. */
function subfolder(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  for (const each of [parent, folder]) chmodSync(each, 0o755);
  return folder;
}

interface Store {
  readonly folder: string;
  readonly storage: string;
  readonly database?: Command;
}

async function ours(name: string, { folder, storage, database }: Store): Promise<ServiceContender> {
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'authorization.yaml');
  writeFileSync(config, authorizationYaml({ port, storage }));
  const output = join(folder, 'service.log');
  const args = [launcher, 'authorization', '--config', config];
  const url = `http://127.0.0.1:${port}`;
  let opened: Promise<Records> | undefined;
  return {
    name,
    database,
    service: pinned({ file: process.execPath, args, ports: [port], output }, 'contender'),
    endpoints: { token: `${url}/oauth2/token`, introspect: `${url}/oauth2/introspect` },
    async codes(count) {
      opened ??= openRecords(storage, { directory: folder, clock: systemClock, encryptionKeys: [encryptionKey] });
      return makeCodes(await opened, count);
    },
    close: async () => (await opened)?.close(),
  };
}
