import { rmSync } from 'node:fs';
import type { Logger } from 'pino';
import { request } from 'undici';
import { buildAuthorization } from '../authorization/authorization.ts';
import { listen } from '../base/listen.ts';
import { formatProblems, loadAuthorizationConfig, loadGatewayConfig } from '../config/load/load.ts';
import { startGateway } from '../gateway/lifecycle/start.ts';
import { buildClientPage } from './client-page.ts';
import { addresses, type DemoFiles, type Ports, shop, user, writeDemoFiles } from './files.ts';
import { buildLegacyApi } from './legacy-api.ts';

export interface Demo {
  /** What to paste, ready to be printed. */
  readonly guide: string;
  stop(): Promise<void>;
}

/** Gateway, authorization service and a legacy API in this process, on a database that goes with it. */
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
    const authorization = await buildAuthorization(accepted(loadAuthorizationConfig(files.authorization, {})), {
      directory: files.directory,
      log,
    });
    steps.push(() => authorization.stop());
    await authorization.start();
    const gateway = await startGateway({
      config: accepted(loadGatewayConfig(files.gateway, {})),
      directory: files.directory,
      log,
    });
    steps.push(() => gateway.stop());
    return { guide: guide(ports, files, await token(ports)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function accepted<Config>(
  loaded: { ok: true; config: Config } | { ok: false; problems: Parameters<typeof formatProblems>[0] },
): Config {
  if (loaded.ok) return loaded.config;
  throw new Error(formatProblems(loaded.problems));
}

/** A real token from the running service, so that every printed line works as it stands. */
async function token(ports: Ports): Promise<string> {
  const { statusCode, body } = await request(tokenEndpoint(ports), {
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

function tokenEndpoint(ports: Ports): string {
  return `${addresses(ports).issuer}/oauth2/token`;
}

function guide(ports: Ports, files: DemoFiles, accessToken: string): string {
  const { api, issuer, upstream, page } = addresses(ports);
  const order = `${api}/orders/7`;
  const bearer = `-H 'Authorization: Bearer ${accessToken}'`;
  return `
  Gatehouse is in front of an API that knows nothing of OAuth.

    gateway                 ${api}/health
    authorization service   ${issuer}/.well-known/oauth-authorization-server
    the legacy API          ${upstream}/orders
    the rules               ${files.gateway}

  Open these in a browser; the user is ${user.name}, the password ${user.password}:

  A client page: sign in, consent, and it calls the API with the token
    ${page}/

  The login, and which apps have access
    ${issuer}/oauth2/login

  Paste these into another terminal:

  A token for the client "${shop.id}", with the scope orders.read
    curl -s -u ${shop.id}:${shop.secret} -d grant_type=client_credentials -d scope=orders.read ${tokenEndpoint(ports)}

  401  no token
    curl -i ${order}

  403  a token, but not the scope: deleting needs orders.write
    curl -i -X DELETE ${bearer} ${order}

  200  a token with the scope
    curl -i ${bearer} ${order}

  Ctrl-C ends the demo and removes its files.
`;
}
