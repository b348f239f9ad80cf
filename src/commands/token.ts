import type { Command } from 'commander';
import type { Service } from '../authorization/service/service.ts';
import type { ActiveToken } from '../authorization/tokens/token-kind.ts';
import { tokenKind } from '../authorization/tokens/token-kinds.ts';
import { sha256 } from '../base/secret.ts';
import { type Administered, administer, type CommandReport, Refusal } from './administration/administer.ts';
import { subcommand } from './administration/options.ts';
import { memberTable } from './administration/shown.ts';
import { readSecret } from './common/read-secret.ts';

/** `gatehouse token …`: introspects and revokes tokens of the service. */
export function register(program: Command): void {
  const token = program.command('token').description('tokens that the authorization service issued');
  const help =
    '\nThe command asks for the token, or reads it from standard input. It takes no token from the arguments.\n';
  subcommand(token, 'introspect', 'show whether a token is active, and its claims')
    .addHelpText('after', help)
    .action((options: Administered) => administer(options, introspect));
  subcommand(token, 'revoke', 'end a token; with a refresh token, every token of its grant ends')
    .addHelpText('after', help)
    .action((options: Administered) => administer(options, revoke));
}

async function introspect(service: Service): Promise<CommandReport> {
  const json = (await inspect(service, await readToken())) ?? { active: false };
  return { json, text: memberTable(json) };
}

/** Looks up the owner in the store, even if the token is inactive: a used refresh token still has its grant. */
async function revoke(service: Service): Promise<CommandReport> {
  const text = await readToken();
  const kind = tokenKind(text);
  const owner = await kind?.owner(service, text);
  const outcome = owner === undefined ? 'unknown' : await kind?.revoke(service, text, { id: owner.clientId });
  if (owner === undefined || outcome !== 'revoked')
    return {
      json: { revoked: false },
      text: 'The token is unknown: this service did not issue it, or it ended long ago.\n',
    };
  const facts = { client_id: owner.clientId, sub: owner.subject };
  return {
    json: { revoked: true },
    text: `The token is revoked.\n${CACHED}\n`,
    audit: { event: 'token_revoked', facts },
  };
}

const CACHED =
  'Gateways that follow the feed (`events`) refuse the token within a second. Other gateways that cached the token accept it for up to `cache.ttl` (60s by default).';

/** Introspection shows a refresh token only to its own client. */
async function inspect(service: Service, text: string): Promise<ActiveToken | undefined> {
  const found = await service.records.findRefreshToken(sha256(text));
  const operator = { id: found?.grant.clientId ?? '', introspect: true, isPublic: false };
  return tokenKind(text)?.inspect(service, text, operator);
}

async function readToken(): Promise<string> {
  const secret = await readSecret('Token');
  if (secret.kind === 'unreadable') throw new Refusal(secret.message);
  return secret.text.trim();
}
