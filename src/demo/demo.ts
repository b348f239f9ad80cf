import { rmSync } from 'node:fs';
import type { Logger } from 'pino';
import { request } from 'undici';
import { buildAuthorization } from '../authorization/authorization.ts';
import { listen } from '../base/listen.ts';
import { formatProblems, type Loaded, loadAuthorizationConfig, loadGatewayConfig } from '../config/load/load.ts';
import { startGateway } from '../gateway/lifecycle/start.ts';
import { buildClientPage } from './client-page.ts';
import { addresses, type Ports, shop, writeDemoFiles } from './files.ts';
import { guide } from './guide.ts';
import { buildLegacyApi } from './legacy-api.ts';

export interface Demo {
  /** The text for the user, with commands to paste. */
  readonly guide: string;
  stop(): Promise<void>;
}

/** Runs gateway, authorization service and a legacy API in this process, with a temporary database. */
export async function startDemo(ports: Ports, log: Logger): Promise<Demo> {
  const files = writeDemoFiles(ports);
  const steps: (() => Promise<unknown>)[] = [async () => rmSync(files.directory, { recursive: true, force: true })];
  const stop = async () => {
    for (const undo of steps.toReversed()) await undo();
  };
  try {
    for (const [app, port] of [
      [buildLegacyApi(), ports.api],
      [buildClientPage(ports), ports.client],
    ] as const) {
      steps.push(() => app.close());
      await listen(app, { host: '127.0.0.1', port });
    }
    const authorization = await buildAuthorization(accepted(loadAuthorizationConfig(files.authorization, {})).config, {
      directory: files.directory,
      log,
    });
    steps.push(() => authorization.stop());
    await authorization.start();
    const { config, directory, locate } = accepted(loadGatewayConfig(files.gateway, {}));
    const gateway = await startGateway({
      config,
      directory,
      locate,
      read: () => loadGatewayConfig(files.gateway, {}),
      log,
    });
    steps.push(() => gateway.stop());
    return { guide: guide(ports, files, await token(ports)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function accepted<Config>(loaded: Loaded<Config>): Extract<Loaded<Config>, { ok: true }> {
  if (loaded.ok) return loaded;
  throw new Error(formatProblems(loaded.problems));
}

/** Gets a real token from the running service, so that every printed line works unchanged. */
async function token(ports: Ports): Promise<string> {
  const { statusCode, body } = await request(addresses(ports).token, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${shop.id}:${shop.secret}`).toString('base64')}`,
    },
    body: 'grant_type=client_credentials&scope=orders.read',
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the demo got no token: ${text}`);
  return (JSON.parse(text) as { access_token: string }).access_token;
}
