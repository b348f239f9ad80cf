import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { shellWord } from '../../base/shell-word.ts';
import { formatProblems } from '../../config/load/load.ts';
import { loadAdminAddress } from '../../config/load/ticket-file.ts';
import { isLoopback } from '../../config/words/host.ts';
import { formatBasic } from '../../http-auth/basic.ts';
import { gatewayOption } from '../common/config-option.ts';
import { type ListenerConnection, listenerConnection } from '../common/listener-connection.ts';
import { listenerUrl } from '../common/listener-url.ts';
import { readKnownSecret } from '../common/read-secret.ts';
import { SecretValueError } from '../common/usage-error.ts';
import { LiveFailure } from './live-failure.ts';
import type { Replica } from './replica.ts';

/** The options that say which gateways to watch, and who asks. */
export interface AdminOptions {
  readonly config: string;
  readonly admin: readonly string[];
  readonly user?: string;
  readonly passwordFile?: string;
}

export function addAdminOptions(command: Command): Command {
  return command
    .addOption(gatewayOption(', whose `admin` listener the command asks'))
    .addOption(adminOption())
    .option('--user <name>', 'the user, if the listener requires Basic; the password is read from standard input', user)
    .option('--password-file <file>', 'read the password of --user from this file');
}

function adminOption(): Option {
  const description =
    'the `admin` listener, instead of the listener in the file; for several replicas, repeat the option';
  const collect = (text: string, before: readonly string[]) => [...before, adminUrl(text)];
  return new Option('--admin <url>', description).default([], 'none').argParser(collect);
}

function adminUrl(text: string): string {
  if (text.includes('@'))
    throw new SecretValueError(
      'error: --admin must not contain a username or a password: use --user and --password-file',
    );
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError('Write a URL such as http://127.0.0.1:9901.');
  return url.href.replace(/\/+$/, '');
}

function user(text: string): string {
  if (text.includes(':')) throw new InvalidArgumentError('A name for Basic cannot have a colon (RFC 7617 §2).');
  return text;
}

/** The gateways to watch. Reads the password, if there is a user. */
export async function replicasOf(options: AdminOptions): Promise<readonly Replica[]> {
  const named = options.admin.length > 0 ? namedBy(options.admin) : [inConfiguration(options.config)];
  const authorization = await authorizationFor(
    named.map(({ url }) => url),
    options,
  );
  return named.map((place) => ({ ...place, name: place.url.replace(/^https?:\/\//, ''), authorization }));
}

interface Place {
  readonly url: string;
  readonly connection: ListenerConnection;
}

function namedBy(urls: readonly string[]): readonly Place[] {
  return [...new Set(urls)].map((url) => ({ url, connection: {} }));
}

function inConfiguration(file: string): Place {
  const loaded = loadAdminAddress(file);
  if (!loaded.ok)
    throw new LiveFailure(`${formatProblems(loaded.problems)}gatehouse: or name the listener: --admin URL`);
  const { admin } = loaded.config;
  if (admin === undefined)
    throw new LiveFailure(
      `gatehouse: ${file} has no \`admin\` listener: add \`admin: 127.0.0.1:9901\`, or name the listener: --admin URL`,
    );
  return { url: listenerUrl(admin, ''), connection: listenerConnection(admin, dirname(resolve(file))) };
}

async function authorizationFor(urls: readonly string[], options: AdminOptions): Promise<string | undefined> {
  const { user: name, passwordFile } = options;
  if (name === undefined) {
    if (passwordFile === undefined) return undefined;
    throw new LiveFailure('gatehouse: --password-file needs --user NAME');
  }
  const open = urls.find((url) => !isProtected(new URL(url)));
  if (open !== undefined)
    throw new LiveFailure(
      `gatehouse: ${open} is neither https nor on this machine, so others could read the password. Use https`,
    );
  return formatBasic(name, passwordFile === undefined ? await typed(name) : inFile(passwordFile));
}

function isProtected({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopback(hostname);
}

async function typed(name: string): Promise<string> {
  const read = await readKnownSecret(`Password of ${name}`);
  const message = read.kind === 'unreadable' ? read.message : 'nothing was read';
  if (read.kind === 'unreadable' || read.text === '')
    throw new LiveFailure(`gatehouse: the password of ${name}: ${message}`);
  return read.text;
}

function inFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new LiveFailure(`gatehouse: ${shellWord(file)} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
