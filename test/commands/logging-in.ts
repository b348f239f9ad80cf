import type { Test } from 'tap';
import { type FrontService, openTab, type Tab } from '../authorization/browser/walk.ts';
import { everyScope, runProvider, walk } from '../authorization/openid/provider.ts';
import { type Command, command } from '../support/command.ts';
import { until } from '../support/until.ts';

/** A public client, as a person registers it for the command. */
export const cli = {
  client_id: 'cli',
  client_name: 'My terminal',
  redirect_uris: ['http://127.0.0.1/callback'],
  scope: everyScope,
  grant_types: ['authorization_code' as const],
};

export const confidential = { ...cli, client_id: 'cli-with-secret', client_secret: 'cs_secret of 32 bytes: +&=% üß' };

/** The service with both clients. */
export function runForLogin(t: Test, options: Parameters<typeof runProvider>[1] = {}): Promise<FrontService> {
  return runProvider(t, { clients: [cli, confidential], ...options });
}

/** A command that waits for its browser. */
export interface WaitingLogin extends Command {
  /** What the command prints for the browser. */
  readonly address: URL;
  readonly redirectUri: string;
}

type Started = Parameters<typeof command>[2];

/** Without an issuer, the command reads a file. */
export async function startLogin(
  t: Test,
  issuer: string | undefined,
  args: readonly string[] = [],
  options: Started = {},
): Promise<WaitingLogin> {
  const server = issuer === undefined ? [] : ['--issuer', issuer];
  const started = command(t, ['login', ...server, '--client-id', 'cli', '--no-browser', ...args], options);
  const isWaiting = () => started.stderr().includes('The answer comes to');
  await until(() => isWaiting() || started.process.exitCode !== null);
  if (!isWaiting()) throw new Error(started.stderr());
  const address = new URL(/^ {2}(http\S+)$/m.exec(started.stderr())?.[1] ?? '');
  return { ...started, address, redirectUri: address.searchParams.get('redirect_uri') ?? '' };
}

/** Signs alice in, and allows everything. Returns where the service sends the browser then. */
export async function answerOf(login: WaitingLogin, tab: Tab = openTab({ url: login.address.origin })): Promise<URL> {
  const { location } = await walk(tab, login.address.href);
  if (location === undefined) throw new Error('the service sends the browser nowhere');
  return location;
}

/** The page at the redirect address, with these changes of the answer. */
export async function arrive(location: URL, changes: Readonly<Record<string, string>> = {}) {
  const url = new URL(location);
  for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, body: await response.text() };
}
