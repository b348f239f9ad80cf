import { type ApiKeyEntry, clientFault, writtenTime } from '../../config/files/api-keys.ts';
import { scopeTokenFault, scopeTokens } from '../../config/words/scope-words.ts';
import { hashApiKey, idOfApiKey, makeApiKey } from '../../http-auth/api-key.ts';
import { Refusal, type Report } from '../administration/administer.ts';
import { memberTable } from '../administration/shown.ts';
import { table } from '../common/table.ts';
import { addKeys, openKeyFile, removeKey } from './api-key-file.ts';
import { entryOf, isShort, parseForeignKeys, readHmacKey } from './import-api-keys.ts';

export interface NewKey {
  readonly client: string;
  /** Space-delimited. */
  readonly scope: string | undefined;
  /** NumericDate, seconds. */
  readonly expiresAt: number | undefined;
}

export interface Import {
  /** Of standard input. */
  readonly text: string;
  /** A file with the secret for short keys. */
  readonly hmacKey: string | undefined;
  readonly expiresAt: number | undefined;
}

/** API keys in a file. Each throws a `Refusal` with what the operator has to change. */
export const keysInFile = {
  create(file: string, { client, scope, expiresAt }: NewKey): Report {
    const scopes = scope === undefined ? [] : scopeTokens(scope);
    const fault = clientFault(client) ?? scopes.map(scopeTokenFault).find((each) => each !== undefined);
    if (fault !== undefined) throw new Refusal(fault);
    const opened = openKeyFile(file);
    const key = makeApiKey();
    const entry = {
      id: idOfApiKey(key),
      kind: 'sha256',
      hash: hashApiKey(Buffer.from(key)),
      client,
      expiresAt,
      scopes,
    } as const;
    addKeys(file, opened, [entry]);
    const json = { key, ...shown(entry) };
    return { json, text: `${memberTable(json)}\nThe key is shown this once: ${file} keeps its hash alone.\n` };
  },

  list(file: string): Report {
    const json = openKeyFile(file).keys.map(shown);
    const cells = json.map(({ id, client, scope, expires, kept_by }) => [id, client, expires, kept_by, scope]);
    return { json, text: table([['ID', 'CLIENT', 'EXPIRES', 'KEPT BY', 'SCOPE'], ...cells]) };
  },

  revoke(file: string, id: string): Report {
    const opened = openKeyFile(file);
    const key = opened.keys.find((each) => each.id === id);
    if (key === undefined) throw new Refusal(`there is no key ${id} in ${file}: gatehouse api-key list shows them`);
    removeKey(file, opened, id);
    const { client } = key;
    return { json: { id, client, revoked: true }, text: `the key ${id} of ${client} is gone from ${file}\n` };
  },

  import(file: string, { text, hmacKey, expiresAt }: Import): Report {
    const foreign = parseForeignKeys(text);
    const secret = hmacKey === undefined ? undefined : readHmacKey(hmacKey);
    const short = foreign.filter(isShort);
    if (short.length > 0 && secret === undefined) throw new Refusal(needsSecret(short.map(({ line }) => line)));
    const opened = openKeyFile(file);
    const [added, known] = parted(
      foreign.map((each) => entryOf(each, secret, expiresAt)),
      opened.keys,
    );
    if (added.length > 0) addKeys(file, opened, added);
    return importReport(added, known);
  },
};

/** As many lines are named. */
const NAMED = 5;

function needsSecret(lines: readonly number[]): string {
  const more = lines.length > NAMED ? ` and ${lines.length - NAMED} more` : '';
  const named = `line ${lines.slice(0, NAMED).join(', ')}${more} of the input`;
  return `${named}: a key with fewer than 128 bits can be guessed from its hash. Name a secret for such keys by --hmac-key FILE, which \`openssl rand -base64 32\` makes, and give it to the gateway as \`hmac_key\``;
}

/** A key that is there already stays as it is. */
function parted(entries: readonly ApiKeyEntry[], there: readonly ApiKeyEntry[]): [ApiKeyEntry[], ApiKeyEntry[]] {
  const hashes = new Set(there.map(({ hash }) => hash));
  const [added, known]: [ApiKeyEntry[], ApiKeyEntry[]] = [[], []];
  for (const entry of entries) {
    (hashes.has(entry.hash) ? known : added).push(entry);
    hashes.add(entry.hash);
  }
  return [added, known];
}

function importReport(added: readonly ApiKeyEntry[], known: readonly ApiKeyEntry[]): Report {
  const short = added.filter(({ kind }) => kind === 'hmac').map(({ id }) => id);
  const lines = [`${added.length} added, ${known.length} were there already`];
  if (short.length > 0)
    lines.push(`${short.length} with fewer than 128 bits, which can be guessed: give their clients new keys`);
  return {
    json: { added: added.map(shown), kept: known.map(({ id }) => id), short },
    text: `${lines.join('\n')}\n`,
  };
}

function shown({ id, kind, client, expiresAt, scopes }: ApiKeyEntry) {
  const expires = expiresAt === undefined ? 'never' : writtenTime(expiresAt);
  return { id, client, scope: scopes.join(' '), expires, kept_by: kind };
}
