import type { Command } from 'commander';
import { CannotListen } from '../base/listen.ts';
import { printableValue } from '../base/printable.ts';
import { formatProblems, loadAuthorizationConfig } from '../config/load/load.ts';
import { repeatable } from './administration/options.ts';
import { authorizationOption } from './common/config-option.ts';
import { portNumber } from './common/port-number.ts';
import { type ReadSecret, readSecret } from './common/read-secret.ts';
import { timeoutOption } from './common/wait-option.ts';
import { type BrowserLoginOptions, browserLogin } from './login/browser-login.ts';
import { LoginFailure } from './login/failure.ts';
import { loginAsJson, loginInWords } from './login/login-in-words.ts';
import { openBrowser } from './login/open-browser.ts';
import { howToRegister, registrationFault } from './login/registration.ts';
import { tell } from './login/wait-for-answer.ts';

interface Options {
  readonly config: string;
  readonly issuer?: string;
  readonly clientId: string;
  readonly clientSecret?: true;
  readonly scope?: string;
  readonly resource: readonly string[];
  readonly port?: number;
  readonly timeout: number;
  readonly browser: boolean;
  readonly json?: true;
}

const FIVE_MINUTES = 5 * 60 * 1000;

const HELP = `
The command opens a browser, waits for its answer at 127.0.0.1, and prints only the access token to standard output.
Everything else goes to standard error. Register http://127.0.0.1/callback as a redirect address of the client. With
--client-secret, the command asks for the secret, or reads it from standard input. It takes no secret from the
arguments.
`;

/** `gatehouse login`: signs a user in with a browser, by code and PKCE (RFC 8252), and prints a token. */
export function register(program: Command): void {
  program
    .command('login')
    .description('sign in at an authorization server with a browser, and print the access token')
    .addOption(authorizationOption())
    .option('--issuer <url>', 'the authorization server, instead of the server in the file')
    .requiredOption('--client-id <id>', 'a client with the redirect address http://127.0.0.1/callback')
    .option('--client-secret', 'the client has a secret')
    .option(
      '--scope <scope>',
      'the scope to request, space-delimited; with openid, the command also reports who signed in',
    )
    .addOption(repeatable('--resource <uri>', 'an API that the token is for (RFC 8707); may be repeated'))
    .option('--port <port>', 'the port for the answer of the browser; any free port by default', portNumber)
    .addOption(timeoutOption('wait this long for the browser').default(FIVE_MINUTES, '5m'))
    .option('--no-browser', 'print the address, and open no browser')
    .option('--json', 'print the whole answer as JSON, with the claims of the user')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: Options): Promise<void> {
  try {
    const issuer = options.issuer ?? issuerOfFile(options);
    if (issuer === undefined) return;
    const signedIn = await browserLogin(wanted(options, issuer, await secretOf(options)));
    process.stderr.write(loginInWords(signedIn, options.scope));
    process.stdout.write(options.json ? loginAsJson(signedIn) : `${signedIn.tokens.access_token}\n`);
  } catch (error) {
    if (!(error instanceof LoginFailure || error instanceof CannotListen)) throw error;
    giveUp(`gatehouse: ${printableValue(error.message)}\n`);
  }
}

/** authorization.yaml also lists the clients, so a missing redirect address is found before the browser opens. */
function issuerOfFile({ config: file, clientId }: Options): string | undefined {
  const loaded = loadAuthorizationConfig(file);
  if (!loaded.ok) return giveUp(`${formatProblems(loaded.problems)}gatehouse: or name the server: --issuer URL\n`);
  const fault = registrationFault(loaded.config, clientId);
  if (fault !== undefined) throw new LoginFailure(fault);
  return loaded.config.issuer;
}

async function secretOf({ clientSecret, clientId }: Options): Promise<string | undefined> {
  if (!clientSecret) return undefined;
  const read: ReadSecret = await readSecret(`Secret of ${clientId}`);
  if (read.kind === 'unreadable') throw new LoginFailure(`the secret of ${clientId}: ${read.message}`);
  if (read.text === '') throw new LoginFailure(`the secret of ${clientId}: nothing was read`);
  return read.text;
}

function wanted({ clientId, scope, resource, port, timeout, browser }: Options, issuer: string, secret?: string) {
  const remedy = `if the browser shows that the redirect address is not registered, ${howToRegister(clientId, port)}`;
  return {
    issuer,
    clientId,
    secret,
    scope,
    resources: resource,
    port,
    timeout,
    remedy,
    onReady(url, redirectUri) {
      tell(`Sign in at this address:\n\n  ${printableValue(url)}\n\nThe answer comes to ${redirectUri}.`);
      if (browser) openBrowser(url);
    },
    onForeign: () => tell('The command ignored an answer to another sign-in.'),
  } satisfies BrowserLoginOptions;
}

function giveUp(message: string): undefined {
  process.stderr.write(message);
  process.exitCode = 1;
}
