import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { userKeysUntil } from '../authorization/keys/user-keys.ts';
import type { Service } from '../authorization/service/service.ts';
import { seconds } from '../base/clock.ts';
import { newPasswordFault, passwordFaults } from '../base/password-text.ts';
import { usernameFault, usernameKey } from '../base/username.ts';
import { type Administered, administer, type CommandReport, Refusal } from './administration/administer.ts';
import { jsonObject, subcommand } from './administration/options.ts';
import { readSecret } from './common/read-secret.ts';
import { table } from './common/table.ts';

interface AddOptions extends Administered {
  readonly name?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

const LOCAL_JWTS =
  'Gateways that follow the revocation feed refuse the JWTs within a second. Other gateways that verify JWTs locally accept these JWTs until they expire.';

const passwordHelp =
  '\nThe command asks for the password, or reads it from standard input. It takes no password from the arguments.\n';

/** `gatehouse user …`: users in the store, in addition to the users of the file. */
export function register(program: Command): void {
  const user = program.command('user').description('people who may log in');
  subcommand(user, 'add <username>', 'add a user')
    .option('--name <name>', 'the name that pages show')
    .option('--claims <json>', 'facts that `tokens.access.claims` may put into tokens', jsonObject)
    .addHelpText('after', passwordHelp)
    .action((username: string, options: AddOptions) =>
      administer(options, (service) => add(service, username, options)),
    );
  subcommand(user, 'list', 'list all users, of the file and of the store').action((options: Administered) =>
    administer(options, list),
  );
  subcommand(user, 'set-password <username>', 'change a password; sessions and grants of the user end')
    .addHelpText('after', passwordHelp)
    .action((username: string, options: Administered) =>
      administer(options, (service) => setPassword(service, username)),
    );
  subcommand(user, 'remove <username>', 'remove a user; sessions, grants and tokens end').action(
    (username: string, options: Administered) => administer(options, (service) => remove(service, username)),
  );
  subcommand(
    user,
    'sign-out <username>',
    'end every session, grant and token of a user; the password and the consents stay',
  )
    .addHelpText(
      'after',
      '\nThe command also accepts users of the file. It does the same as *Sign out everywhere* on the account page.\n',
    )
    .action((username: string, options: Administered) => administer(options, (service) => signOut(service, username)));
  subcommand(user, 'rotate-key <username>', 'end every JWT of a user at once; refresh tokens can get new JWTs')
    .addHelpText('after', '\nThe command also accepts users of the file.\n')
    .action((username: string, options: Administered) =>
      administer(options, (service) => rotateKey(service, username)),
    );
}

async function add(service: Service, username: string, { name, claims = {} }: AddOptions): Promise<CommandReport> {
  const fault = usernameFault(username);
  if (fault !== undefined) throw new Refusal(fault);
  if ((await service.accounts.find(username)) !== undefined) throw new Refusal(`the user ${username} already exists`);
  const passwordHash = await readPassword(service);
  const subject = randomUUID();
  const account = {
    subject,
    username: usernameKey(username),
    passwordHash,
    name,
    claims,
    createdAt: seconds(service.clock),
  };
  if (!(await service.records.addAccount(account))) throw new Refusal(`the user ${username} already exists`);
  const text = `The user ${username} is added with the subject ${subject}.\n`;
  return { json: { username, sub: subject }, text, audit: { event: 'user_added', facts: { username, sub: subject } } };
}

async function readPassword({ passwords }: Service): Promise<string> {
  const secret = await readSecret('Password');
  if (secret.kind === 'unreadable') throw new Refusal(secret.message);
  const fault = newPasswordFault(secret.text);
  if (fault !== undefined) throw new Refusal(passwordFaults[fault]);
  const hashed = await passwords.hash(secret.text);
  if (hashed.kind !== 'hashed') throw new Refusal(`the password cannot be hashed: ${hashed.kind}`);
  return hashed.phc;
}

async function list({ config, records }: Service): Promise<CommandReport> {
  const inFile = config.users.map(({ username, name, subject }) => ({ username, name, sub: subject, kept: 'file' }));
  const stored = await records.listAccounts();
  const imported = await records.listImportedPasswords();
  const rows = [
    ...inFile,
    ...stored.map(({ username, name, subject }) => ({ username, name, sub: subject, kept: 'store' })),
    ...imported.map(({ username }) => ({ username, name: undefined, sub: undefined, kept: 'store, for Basic only' })),
  ];
  const cells = rows.map(({ username, name, sub, kept }) => [username, name ?? '-', sub ?? '-', kept]);
  return { json: rows, text: table([['USER', 'NAME', 'SUBJECT', 'KEPT IN'], ...cells]) };
}

async function setPassword(service: Service, username: string): Promise<CommandReport> {
  await requireStored(service, username);
  const passwordHash = await readPassword(service);
  const now = seconds(service.clock);
  const { rotate_on_password_change: isRotated } = service.config.signing;
  const keysUntil = isRotated ? userKeysUntil(service.config, now) : undefined;
  const change = { username: usernameKey(username), passwordHash, now, keysUntil };
  if (!(await service.records.setPassword(change))) throw unknownUser(username);
  const text = `The password of ${username} was changed. All sessions with the old password have ended.\n`;
  return { json: { username, changed: true }, text, audit: { event: 'password_set', facts: { username } } };
}

async function remove(service: Service, username: string): Promise<CommandReport> {
  if (await isOnlyImported(service, username)) return removeImported(service, username);
  await requireStored(service, username);
  const now = seconds(service.clock);
  if (!(await service.records.removeAccount(usernameKey(username), now, userKeysUntil(service.config, now))))
    throw unknownUser(username);
  const text = `The user ${username} is removed, with all sessions and tokens.\n`;
  return { json: { username, removed: true }, text, audit: { event: 'user_removed', facts: { username } } };
}

/** A user without an account has only the password from `gatehouse import htpasswd`. */
async function isOnlyImported({ accounts, records }: Service, username: string): Promise<boolean> {
  if ((await accounts.find(username)) !== undefined) return false;
  const key = usernameKey(username);
  return (await records.listImportedPasswords()).some((imported) => imported.username === key);
}

async function removeImported({ records }: Service, username: string): Promise<CommandReport> {
  if (!(await records.removeImportedPassword(usernameKey(username)))) throw unknownUser(username);
  const text = `The user ${username}, who had only a password for Basic, is removed.\n`;
  return { json: { username, removed: true }, text, audit: { event: 'user_removed', facts: { username } } };
}

async function signOut({ accounts, config, clock, records }: Service, username: string): Promise<CommandReport> {
  const account = await accounts.find(username);
  if (account === undefined) throw unknownUser(username);
  const { subject } = account;
  const now = seconds(clock);
  await records.signOutEverywhere({ subject, now, keysUntil: userKeysUntil(config, now) });
  const text = `Every session, grant and token of ${username} ends. ${LOCAL_JWTS}\n`;
  const facts = { username: account.username, sub: subject };
  return {
    json: { username, sub: subject, signed_out: true },
    text,
    audit: { event: 'signed_out_everywhere', facts },
  };
}

async function rotateKey({ accounts, config, clock, records }: Service, username: string): Promise<CommandReport> {
  const account = await accounts.find(username);
  if (account === undefined) throw unknownUser(username);
  const { subject } = account;
  const now = seconds(clock);
  const until = userKeysUntil(config, now);
  if (until === undefined)
    throw new Refusal('users do not have their own keys: write `signing: { user_keys: true }` in the file');
  const kids = await records.rotateUserKey({ subject, until, now });
  const json = { username, sub: subject, ended: kids };
  if (kids.length === 0)
    return { json, text: `The user ${username} has no key: no JWT was signed since the last rotation.\n` };
  const text = `Every JWT of ${username} ends. A new key signs the next JWT.\n`;
  const facts = { username, sub: subject, kid: kids.join(' ') };
  return { json, text, audit: { event: 'user_key_rotated', facts } };
}

async function requireStored({ accounts }: Service, username: string): Promise<void> {
  const account = await accounts.find(username);
  if (account === undefined) throw unknownUser(username);
  if (account.inFile) throw new Refusal(`the user ${username} is in the file: change it there`);
}

function unknownUser(username: string): Refusal {
  return new Refusal(`there is no user ${username}`);
}
