import { seconds, systemClock } from '../../base/clock.ts';
import { type ApiKeyEntry, clientFault, LAST_TIME, writtenTime } from '../../config/files/api-keys.ts';
import { scopeTokenFault, scopeWords } from '../../config/words/scope-words.ts';
import { hashApiKey, idOfApiKey, makeApiKey } from '../../http-auth/api-key.ts';
import { type Audited, type CommandReport, Refusal } from '../administration/administer.ts';
import { memberTable } from '../administration/shown.ts';
import { table } from '../common/table.ts';
import type { ApiKeyPlace } from './api-key-place.ts';
import { entryOf, isShort, parseForeignKeys, readHmacKey } from './import-api-keys.ts';

export interface NewKey {
  readonly client: string;
  /** Space-delimited. */
  readonly scope: string | undefined;
  readonly expires: KeyExpiry;
}

/** NumericDate, seconds; `never`; undefined: the option is absent. */
export type KeyExpiry = number | 'never' | undefined;

export interface KeyRotation {
  readonly id: string;
  /** Milliseconds for which the old key stays valid. */
  readonly overlap: number;
  readonly expires: KeyExpiry;
}

export interface Import {
  /** From standard input. */
  readonly text: string;
  /** A file with the secret for short keys. */
  readonly hmacKey: string | undefined;
  readonly expires: KeyExpiry;
}

/** API keys in a file or a store. Each function throws a `Refusal` that tells the operator what to change. */
export const apiKeys = {
  async create(place: ApiKeyPlace, { client, scope, expires }: NewKey): Promise<CommandReport> {
    const scopes = scope === undefined ? [] : scopeWords(scope);
    const fault = clientFault(client) ?? scopes.map(scopeTokenFault).find((each) => each !== undefined);
    if (fault !== undefined) throw new Refusal(fault);
    const { key, entry } = made({ client, scopes, expiresAt: timeOf(expires) });
    if (!(await place.add([entry])).has(entry.id))
      throw new Refusal(`the new key could not be added to ${place.name}: repeat the command`);
    const json = { key, ...shown(entry) };
    return { json, text: `${memberTable(json)}\n${shownOnce(place)}`, audit: audited('api_key_created', entry) };
  },

  async list(place: ApiKeyPlace): Promise<CommandReport> {
    const json = (await place.list()).map(shown);
    const cells = json.map(({ id, client, scope, expires, kept_by }) => [id, client, expires, kept_by, scope]);
    return { json, text: table([['ID', 'CLIENT', 'EXPIRES', 'KEPT BY', 'SCOPE'], ...cells]) };
  },

  async rotate(place: ApiKeyPlace, { id, overlap, expires }: KeyRotation): Promise<CommandReport> {
    const old = await find(place, id);
    if (old.expiresAt !== undefined && expires === undefined) throw new Refusal(needsEnd(old));
    const { key, entry } = made({ ...old, expiresAt: timeOf(expires) });
    const until = Math.min(seconds(systemClock) + Math.floor(overlap / 1000), old.expiresAt ?? LAST_TIME);
    if (!(await place.rotate(id, entry, until))) throw missing(place, id);
    const json = { key, ...shown(entry), old_key: id, old_key_until: writtenTime(until) };
    return { json, text: `${memberTable(json)}\n${shownOnce(place)}`, audit: audited('api_key_rotated', entry, id) };
  },

  async revoke(place: ApiKeyPlace, id: string): Promise<CommandReport> {
    const key = await find(place, id);
    if (!(await place.remove(id))) throw missing(place, id);
    const { client } = key;
    const text = `the key ${id} of ${client} is removed from ${place.name}\n`;
    return { json: { id, client, revoked: true }, text, audit: audited('api_key_revoked', key) };
  },

  async import(place: ApiKeyPlace, { text, hmacKey, expires }: Import): Promise<CommandReport> {
    const foreign = parseForeignKeys(text);
    const secret = hmacKey === undefined ? undefined : readHmacKey(hmacKey);
    const short = foreign.filter(isShort);
    if (short.length > 0 && secret === undefined) throw new Refusal(needsSecret(short.map(({ line }) => line)));
    const entries = foreign.map((each) => entryOf(each, secret, timeOf(expires)));
    return importReport(entries, await place.add(entries));
  },
};

function timeOf(end: KeyExpiry): number | undefined {
  return end === 'never' ? undefined : end;
}

function made(key: Pick<ApiKeyEntry, 'client' | 'scopes' | 'expiresAt'>): { key: string; entry: ApiKeyEntry } {
  const { client, scopes, expiresAt } = key;
  const made = makeApiKey();
  const kept = { id: idOfApiKey(made), kind: 'sha256', hash: hashApiKey(Buffer.from(made)) } as const;
  return { key: made, entry: { ...kept, client, expiresAt, scopes } };
}

async function find(place: ApiKeyPlace, id: string): Promise<ApiKeyEntry> {
  const key = (await place.list()).find((each) => each.id === id);
  if (key === undefined) throw missing(place, id);
  return key;
}

function missing({ name }: ApiKeyPlace, id: string): Refusal {
  return new Refusal(`there is no key ${id} in ${name}: \`gatehouse api-key list\` shows all keys`);
}

function needsEnd({ id, expiresAt }: ApiKeyEntry): string {
  return `the key ${id} expires at ${writtenTime(expiresAt)}: say when the new key expires, with --expires 90d or --expires never`;
}

function shownOnce({ name }: ApiKeyPlace): string {
  return `The key is shown only now: ${name} stores only its hash.\n`;
}

function audited(event: Audited['event'], { id, client, scopes }: ApiKeyEntry, old?: string): Audited {
  const detail = `by command: ${old === undefined ? '' : `${old} replaced by `}${id}`;
  return { event, facts: { client_id: client, scope: scopes.join(' '), detail } };
}

/** At most this many lines are named. */
const NAMED = 5;

function needsSecret(lines: readonly number[]): string {
  const more = lines.length > NAMED ? ` and ${lines.length - NAMED} more` : '';
  const named = `line ${lines.slice(0, NAMED).join(', ')}${more} of the input`;
  return `${named}: a key with fewer than 128 bits can be guessed from its hash. Make a secret for such keys with \`openssl rand -base64 32\`, and write the secret to a file. Pass this file with --hmac-key FILE, and give the secret to the gateway as \`hmac_key\``;
}

function importReport(entries: readonly ApiKeyEntry[], ids: ReadonlySet<string>): CommandReport {
  const added = entries.filter(({ id }) => ids.has(id));
  const known = entries.length - added.length;
  const short = added.filter(({ kind }) => kind === 'hmac').map(({ id }) => id);
  const lines = [`${added.length} added, ${known} already exist`];
  if (short.length > 0)
    lines.push(`${short.length} with fewer than 128 bits. Such keys can be guessed: give their clients new keys`);
  return {
    json: { added: added.map(shown), kept: entries.filter(({ id }) => !ids.has(id)).map(({ id }) => id), short },
    text: `${lines.join('\n')}\n`,
    audit: { event: 'api_key_imported', facts: { detail: `by command: ${added.length} keys` } },
  };
}

function shown({ id, kind, client, expiresAt, scopes }: ApiKeyEntry) {
  const expires = expiresAt === undefined ? 'never' : writtenTime(expiresAt);
  return { id, client, scope: scopes.join(' '), expires, kept_by: kind };
}
