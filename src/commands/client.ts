import type { Command } from 'commander';
import type { RegisteredClient } from '../authorization/clients/clients.ts';
import { newClientId, newClientSecret } from '../authorization/clients/new-client.ts';
import type { Service } from '../authorization/service/service.ts';
import { longestLife, revokeTokensOfClient } from '../authorization/tokens/client-revocation.ts';
import { seconds } from '../base/clock.ts';
import { sha256 } from '../base/secret.ts';
import type { ClientRecord } from '../storage/records/records.ts';
import {
  type Administered,
  type Audited,
  administer,
  type CommandReport,
  Refusal,
} from './administration/administer.ts';
import { type ClientOptions, getsSecret, newClient, warningText } from './administration/new-client.ts';
import { jsonObject, overlapOption, repeatable, subcommand } from './administration/options.ts';
import { isoTime, memberTable } from './administration/shown.ts';
import { scopeOption } from './common/scope-option.ts';
import { table } from './common/table.ts';

const localJwts =
  'Gateways that follow the revocation feed refuse JWTs of the client within a second. Other gateways that verify JWTs locally accept these JWTs until they expire.';

/** `gatehouse client …`: registered clients in the store, in addition to the clients of the file. */
export function register(program: Command): void {
  const client = program.command('client').description('clients of the authorization service');
  subcommand(client, 'add', 'register a client; the command makes its id and secret, and shows the secret once')
    .option('--id <id>', 'your own id for the client')
    .option('--name <name>', 'the name that the consent page shows')
    .addOption(repeatable('--redirect-uri <uri>', 'a URL that a browser may return to; may be repeated'))
    .addOption(scopeOption('the scope of the client; its grants cannot have more'))
    .addOption(
      repeatable('--grant-type <type>', 'authorization_code, refresh_token, client_credentials …; may be repeated'),
    )
    .option('--public', 'no secret: for an app or a page that cannot keep a secret')
    .option('--jwks-uri <url>', 'no secret: the client signs a JWT for each request, and its keys are at this URL')
    .option('--format <format>', 'the format of its access tokens: opaque or jwt')
    .option('--no-pkce', 'the client may omit PKCE (a public client may not)')
    .option('--session', 'may use the browserless exchange')
    .option('--introspect', 'may introspect any token: for a gateway')
    .option('--events', 'may follow the revocation feed: for a gateway')
    .option('--keys', 'may fetch the secret keys of users: for a gateway with HS256')
    .addOption(
      repeatable('--post-logout-redirect-uri <uri>', 'a URL that a browser may go to after a logout; may be repeated'),
    )
    .option('--backchannel-logout-uri <url>', 'the service sends logout tokens to this URL')
    .option('--id-token-alg <alg>', 'the algorithm of its ID tokens: RS256, ES256 or EdDSA')
    .option('--userinfo-alg <alg>', 'userinfo answers with a JWT, signed with this algorithm; the default is JSON')
    .option('--subject-type <type>', 'the kind of `sub` that the client sees: public or pairwise')
    .option(
      '--sector-identifier-uri <url>',
      'clients see the same pairwise `sub` if the URLs of this option have the same host',
    )
    .option(
      '--retry-window <duration>',
      'how long the client can send a used refresh token again, to get the same tokens',
    )
    .option('--claims <json>', 'facts that `tokens.access.claims` may put into tokens', jsonObject)
    .action((options: Administered & ClientOptions) => administer(options, (service) => add(service, options)));
  subcommand(client, 'list', 'list all clients, of the file and of the store').action((options: Administered) =>
    administer(options, list),
  );
  subcommand(client, 'show <id>', 'one client').action((id: string, options: Administered) =>
    administer(options, (service) => show(service, id)),
  );
  subcommand(client, 'rotate-secret <id>', 'make a new secret; the old secret stays valid for a while')
    .addOption(overlapOption('how long the old secret stays valid'))
    .action((id: string, options: Administered & { overlap: number }) =>
      administer(options, (service) => rotateSecret(service, id, options.overlap)),
    );
  subcommand(client, 'revoke-tokens <id>', 'end every issued token and grant of a client; the client stays')
    .addHelpText('after', `\n${localJwts}\n`)
    .action((id: string, options: Administered) => administer(options, (service) => revokeTokens(service, id)));
  subcommand(client, 'remove <id>', 'remove a client; its consents, grants and tokens end')
    .addHelpText('after', `\n${localJwts}\n`)
    .action((id: string, options: Administered) => administer(options, (service) => remove(service, id)));
}

async function add(service: Service, options: ClientOptions): Promise<CommandReport> {
  const { config, records, clock } = service;
  const id = options.id ?? newClientId();
  const taken = await takenBy(service, id);
  const { registration: metadata, warnings } = newClient(id, options, config, taken);
  const secret = getsSecret(options) ? newClientSecret() : undefined;
  const createdAt = seconds(clock);
  const secrets = secret === undefined ? [] : [{ hash: sha256(secret), createdAt, expiresAt: undefined }];
  if (!(await records.addClient({ id, metadata, secrets, createdAt })))
    throw new Refusal(`the client ${id} already exists`);
  process.stderr.write(warningText(warnings));
  const json = { client_id: id, ...(secret && { client_secret: secret }), client_secret_expires_at: 0 };
  return { json, text: secretText(id, secret), audit: { event: 'client_added', facts: { client_id: id } } };
}

async function takenBy({ clients, accounts }: Service, id: string): Promise<readonly string[]> {
  const user = await accounts.bySubject(id);
  return [
    ...((await clients.find(id)) === undefined ? [] : [`the client ${id} already exists`]),
    ...(user === undefined ? [] : [sameSubject(id, user.username)]),
  ];
}

/** A token that a client gets for itself has the client's id as its `sub`. */
function sameSubject(id: string, username: string): string {
  return `${id} is the subject of the user ${username}, and would be the \`sub\` of the client's own tokens (RFC 9068 §5): choose another id`;
}

function secretText(id: string, secret: string | undefined): string {
  if (secret === undefined) return `client_id      ${id}\n`;
  return `client_id      ${id}\nclient_secret  ${secret}\n\nOnly a hash of the secret is stored: write the secret down now.\n`;
}

async function list({ clients, records, clock }: Service): Promise<CommandReport> {
  const stored = new Set((await records.listClients(seconds(clock))).map(({ id }) => id));
  const known = await clients.list();
  const own = await clients.listSelfRegistered(MOST_LISTED);
  const rows = [...known, ...own].map((client) => describe(client, stored.has(client.id)));
  const unread = [...stored].filter((id) => !known.some((client) => client.id === id));
  process.stderr.write(
    unread.map((id) => `gatehouse: warning: the client ${id} in the store cannot be read\n`).join(''),
  );
  const cells = rows.map(({ client_id, client_name, grant_types, scope, registered, shadows }) => [
    client_id,
    client_name,
    grant_types.join(',') || '-',
    scope || '-',
    shadows ? `${registered}, hides the client in the store` : registered,
  ]);
  return { json: rows, text: table([['CLIENT', 'NAME', 'GRANTS', 'SCOPE', 'REGISTERED'], ...cells]) };
}

/** The list shows only the newest clients that registered themselves. */
const MOST_LISTED = 1_000;

/** If a client exists in both, the file wins. */
function describe(client: RegisteredClient, isStored: boolean) {
  return {
    client_id: client.id,
    client_name: client.name,
    public: client.isPublic,
    grant_types: client.grantTypes,
    redirect_uris: client.redirectUris,
    scope: client.scope.join(' '),
    require_pkce: client.requirePkce,
    introspect: client.introspect,
    events: client.events,
    keys: client.keys,
    session: client.session,
    registered: places[client.source],
    shadows: client.source === 'file' && isStored,
  };
}

/** What the operator reads: where a client is registered, or that it registered itself. */
const places = { file: 'file', command: 'store', itself: 'itself', document: 'document' } as const;

async function show(service: Service, id: string): Promise<CommandReport> {
  const client = await service.clients.find(id);
  if (client === undefined) throw new Refusal(`there is no client ${id}`);
  const record = await service.records.findClient(id, seconds(service.clock));
  const secrets = client.source === 'file' ? [] : (record?.secrets ?? []).map(secretTimes);
  const json = { ...describe(client, record !== undefined), secrets };
  return { json, text: memberTable(json) };
}

function secretTimes({ createdAt, expiresAt }: ClientRecord['secrets'][number]) {
  return { created_at: isoTime(createdAt), expires_at: expiresAt === undefined ? 'never' : isoTime(expiresAt) };
}

async function rotateSecret(service: Service, id: string, overlap: number): Promise<CommandReport> {
  if (isInFile(service, id)) throw new Refusal(`the client ${id} is in the file: change its secret there`);
  const { records, clock } = service;
  const secret = newClientSecret();
  const now = seconds(clock);
  const oldUntil = now + Math.floor(overlap / 1000);
  const made = { hash: sha256(secret), createdAt: now, expiresAt: undefined };
  if (!(await records.rotateClientSecret({ id, secret: made, oldUntil, now }))) throw await notRotated(service, id);
  const json = { client_id: id, client_secret: secret, old_secret_until: isoTime(oldUntil) };
  const text = `${secretText(id, secret)}The old secret is valid until ${isoTime(oldUntil)}.\n`;
  return { json, text, audit: { event: 'client_secret_rotated', facts: { client_id: id } } };
}

async function notRotated({ records, clock }: Service, id: string): Promise<Refusal> {
  const record = await records.findClient(id, seconds(clock));
  if (record === undefined) return new Refusal(`there is no client ${id}`);
  return new Refusal(`the client ${id} has no secret to replace: it is a public client, or all its secrets expired`);
}

async function revokeTokens(service: Service, id: string): Promise<CommandReport> {
  if ((await service.clients.glance(id)) === undefined) throw new Refusal(`there is no client ${id}`);
  const issued_before = isoTime(await revokeTokensOfClient(service, id));
  const text = `Every token of ${id} that was issued before ${issued_before} is revoked. ${localJwts}\n`;
  const facts = { client_id: id, detail: `by command: issued before ${issued_before}` };
  return {
    json: { client_id: id, revoked: true, issued_before },
    text,
    audit: { event: 'client_tokens_revoked', facts },
  };
}

async function remove(service: Service, id: string): Promise<CommandReport> {
  if (isInFile(service, id)) return removeShadowed(service, id);
  if (!(await service.records.removeClient(id, seconds(service.clock), longestLife(service.config))))
    throw new Refusal(`there is no client ${id}`);
  const text = `The client ${id} and its grants are removed. ${localJwts}\n`;
  return { json: { client_id: id, removed: true }, text, audit: removal(id) };
}

/** Tokens name their client only by its id. So the tokens belong to the client of the file, which stays active. */
async function removeShadowed({ records }: Service, id: string): Promise<CommandReport> {
  if (!(await records.unregisterClient(id))) throw new Refusal(`the client ${id} is in the file: remove it there`);
  const text = `The client ${id} was removed from the store. The client of the same id in the file stays active, and its tokens stay valid.\n`;
  return { json: { client_id: id, removed: true, in_file: true }, text, audit: removal(id) };
}

function removal(id: string): Audited {
  return { event: 'client_removed', facts: { client_id: id } };
}

function isInFile({ config }: Service, id: string): boolean {
  return config.clients.some(({ client_id }) => client_id === id);
}
