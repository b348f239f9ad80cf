import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import type { AssumedToken } from '../../config/schema/test-case.ts';
import { audiencesOf } from '../../gateway/explain/assumed.ts';
import type { TestKeys } from './test-keys.ts';

/** Makes a real token with the contents of an assumed one. `server`: the name of its authorization server. */
export type TokenSource = (token: AssumedToken, server: string) => Promise<string>;

/** Milliseconds. */
const COMMAND_LIMIT = 30_000;

/** Runs the command of the user, with the claims as JSON on its standard input. Rejects if the command fails. */
export function tokensOfCommand(command: string, config: GatewayConfig): TokenSource {
  return (token, server) =>
    new Promise((resolve, reject) => {
      const child = execFile('/bin/sh', ['-c', command], { timeout: COMMAND_LIMIT }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim());
        else reject(new Error(`the command for tokens failed: ${stderr.trim() || error.message}`));
      });
      // A command that reads nothing may have ended already.
      child.stdin?.on('error', () => {});
      child.stdin?.end(JSON.stringify(claimsOf(config, token, server)));
    });
}

export function tokensOfKeys(keys: TestKeys, config: GatewayConfig): TokenSource {
  return async (token, server) => {
    const { algorithms = [], typ = [] } = config.authorization_servers[server] ?? {};
    const sign = keys.signer(algorithms);
    if (sign === undefined)
      throw new Error(`no test key has an algorithm that the server ${server} accepts: ${algorithms.join(', ')}`);
    return sign(typ[0] ?? 'at+jwt', claimsOf(config, token, server));
  };
}

/** Seconds. */
const LIFETIME = 300;

function claimsOf(
  config: GatewayConfig,
  { scope, sub, client_id, aud, claims }: AssumedToken,
  server: string,
): Readonly<Record<string, unknown>> {
  const now = Math.floor(Date.now() / 1000);
  const { issuer } = config.authorization_servers[server] ?? {};
  const basics = { iss: issuer, aud: aud ?? audiencesOf(config), iat: now, exp: now + LIFETIME, jti: randomUUID() };
  return { ...basics, scope, sub, client_id, ...claims };
}
