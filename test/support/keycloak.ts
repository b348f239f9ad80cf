import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from './free-port.ts';
import { started } from './front-proxy.ts';
import { peerFile } from './peer-place.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Keycloak {
  readonly url: string;
  /** Calls its admin API. Any failure throws with the answer. */
  admin(method: string, path: string, body?: object): Promise<Response>;
  /** At the token endpoint of a realm. */
  token(
    realm: string,
    form: Readonly<Record<string, string>>,
  ): Promise<{ readonly access_token: string; readonly id_token?: string; readonly refresh_token?: string }>;
}

/** Milliseconds, half of its lifetime. */
const ADMIN_TOKEN_FOR = 30_000;

const ADMIN = { username: 'admin', password: 'admin-of-this-test' };

/** Shared Signals, to receivers on loopback. Its queue is read each second. */
export const sharedSignals: readonly string[] = [
  '--features=ssf',
  '--spi-ssf-transmitter--default--allow-insecure-push-targets=true',
  '--spi-ssf-transmitter--default--outbox-drainer-interval=1s',
];

/** A Keycloak in a separate folder, with only its own realm. */
export async function keycloak(t: Test, options: readonly string[] = []): Promise<Keycloak> {
  const home = join(temporaryFolder(t), 'keycloak');
  cpSync(dirname(dirname(peerFile('keycloak-26.7.3', '*/bin/kc.sh'))), home, { recursive: true });
  const port = await freePort();
  const env = {
    ...process.env,
    KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
    JAVA_OPTS_APPEND: '-Xmx512m',
  };
  const args = ['start-dev', '--http-host', '127.0.0.1', '--http-port', String(port), ...options];
  await started(t, port, spawn('bash', [join(home, 'bin/kc.sh'), ...args], { stdio: 'pipe', env }), 480_000);
  return keycloakAt(`http://127.0.0.1:${port}`);
}

export function keycloakAt(url: string): Keycloak {
  const token = async (realm: string, form: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams(form);
    const answer = await fetch(`${url}/realms/${realm}/protocol/openid-connect/token`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { access_token: string };
  };
  let held = { access_token: '', until: 0 };
  // A login of the administrator costs half a second of CPU time, for the hash of the password.
  const adminToken = async () => {
    if (performance.now() < held.until) return held.access_token;
    const { access_token } = await token('master', { grant_type: 'password', client_id: 'admin-cli', ...ADMIN });
    held = { access_token, until: performance.now() + ADMIN_TOKEN_FOR };
    return access_token;
  };
  return {
    url,
    token,
    async admin(method, path, body) {
      const access_token = await adminToken();
      const answer = await fetch(`${url}/admin/realms${path}`, {
        method,
        headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return answer;
    },
  };
}
