import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceContender } from '../authorization-place.ts';
import { pinned } from '../cores.ts';
import { freePorts } from '../route-place.ts';
import { Browsers } from './browser.ts';
import { REALM, realm } from './realm.ts';

const VERSION = 'keycloak-26.4.7';
const pattern = fileURLToPath(
  new URL(`../../node_modules/.cache/gatehouse-peers/${VERSION}/*/bin/kc.sh`, import.meta.url),
);

/** Absent if it is not fetched. */
export function keycloakMissing(): string | undefined {
  return globSync(pattern).length > 0 ? undefined : `no Keycloak: npm run peers -- ${VERSION}`;
}

/** Milliseconds. The first start builds the server for its options, and imports the realm. */
const PATIENCE = 600_000;

/** Seconds. */
const WARM_UP = 10;

/** More a second than it exchanged. Its codes cost as much as the requests, so it gets fewer than the others. */
const EXCHANGED = 1_000;

/** Keycloak in production mode with its own database in a file. `parent`: for a copy of its files. */
export async function keycloak(parent: string): Promise<ServiceContender> {
  const home = join(parent, 'keycloak');
  const [script = ''] = globSync(pattern);
  cpSync(dirname(dirname(script)), home, { recursive: true });
  mkdirSync(join(home, 'data/import'), { recursive: true });
  writeFileSync(join(home, 'data/import', `${REALM}.json`), JSON.stringify(realm()));
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/realms/${REALM}/protocol/openid-connect`;
  const browsers = new Browsers(`${url}/auth`);
  const command = { file: 'bash', args: [join(home, 'bin/kc.sh'), 'start', ...options(port)], ports: [port] };
  return {
    name: 'Keycloak, its database in a file',
    database: undefined,
    service: { ...pinned(command, 'contender'), patience: PATIENCE },
    endpoints: { token: `${url}/token`, introspect: `${url}/token/introspect` },
    warmUp: WARM_UP,
    exchanged: EXCHANGED,
    codes: (count) => browsers.codes(count),
    close: async () => {},
  };
}

/** Without a cluster. */
function options(port: number): readonly string[] {
  const listen = ['--http-enabled=true', '--http-host=127.0.0.1', `--http-port=${port}`, '--hostname-strict=false'];
  return [...listen, '--db=dev-file', '--cache=local', '--import-realm', '--log-level=warn'];
}
