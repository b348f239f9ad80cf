import { scopeTokenFault } from '../words/scope-words.ts';
import type { LineFault, ParsedUsers } from './user-lines.ts';

/** How a key is hashed. A key that someone could guess needs HMAC, with a secret that is not in the file. */
export type ApiKeyHash = 'sha256' | 'hmac';

/** A key in its stored form. */
export interface ApiKeyEntry {
  /** Identifies the key in places that must not show the key itself. */
  readonly id: string;
  readonly kind: ApiKeyHash;
  /** base64url, 32 bytes. */
  readonly hash: string;
  readonly client: string;
  /** NumericDate, seconds: the key is rejected from then on. Undefined: never. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[];
}

/** `ID KIND:HASH CLIENT EXPIRES [SCOPE …]`, one key a line, with blanks between the fields. */
export function parseApiKeys(text: string): ParsedUsers<readonly ApiKeyEntry[]> {
  const users: ApiKeyEntry[] = [];
  const known = new Set<string>();
  const faults: LineFault[] = [];
  for (const [index, each] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const fields = each.trim().split(/[ \t]+/);
    if (fields[0] === '' || fields[0]?.startsWith('#')) continue;
    const entry = parseEntry(fields);
    const told = typeof entry === 'string' ? entry : twice(known, entry);
    if (told !== undefined) faults.push({ line: index + 1, message: told, hint: REMEDY });
    else users.push(entry as ApiKeyEntry);
  }
  return { users, faults };
}

export function formatApiKey({ id, kind, hash, client, expiresAt, scopes }: ApiKeyEntry): string {
  return [id, `${kind}:${hash}`, client, writtenTime(expiresAt), ...scopes].join(' ');
}

/** NumericDate in the form of RFC 3339, in UTC; `-` for never. */
export function writtenTime(expiresAt: number | undefined): string {
  return expiresAt === undefined ? NEVER : new Date(expiresAt * 1000).toISOString().replace('.000Z', 'Z');
}

/** The fault of a client's name, in words; undefined: none. A field ends at a blank, so a name has none. */
export function clientFault(client: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(client) ? undefined : 'the name of a client must be printable ASCII without blanks';
}

const NEVER = '-';
const REMEDY = 'write lines with `gatehouse api-key create`; the form is ID KIND:HASH CLIENT EXPIRES [SCOPE …]';
const ID = /^[\x21-\x7e]{1,64}$/;
const HASH = /^(sha256|hmac):([A-Za-z0-9_-]{43})$/;
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/;

/** The message quotes neither a hash nor a value in its place, because that value may be a key. */
function parseEntry([id = '', hashed = '', client = '', expires, ...scopes]: readonly string[]): ApiKeyEntry | string {
  if (expires === undefined) return 'this is not a line of an API key';
  if (!ID.test(id)) return 'the id of a key must be printable ASCII of at most 64 characters';
  const [, kind, hash] = HASH.exec(hashed) ?? [];
  if (kind === undefined || hash === undefined)
    return 'the second field is not `sha256:` or `hmac:` with 32 bytes in base64url';
  const expiresAt = expires === NEVER ? undefined : timeOf(expires);
  if (Number.isNaN(expiresAt))
    return `\`${expires}\` is not a time: write 2027-01-31T12:00:00Z, 2027-01-31, or - for never`;
  const fault = clientFault(client) ?? scopes.map(scopeTokenFault).find((each) => each !== undefined);
  return fault ?? { id, kind: kind as ApiKeyHash, hash, client, expiresAt, scopes };
}

/** NumericDate: the end of the year 9999. Later years have more than four digits. */
export const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** NumericDate; NaN if it is not a time, such as the 31st of February. */
export function timeOf(text: string): number {
  const milliseconds = TIME.test(text) ? Date.parse(text) : Number.NaN;
  const isReal = !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(text.slice(0, 10));
  return isReal ? milliseconds / 1000 : Number.NaN;
}

function twice(known: Set<string>, { id, kind, hash }: ApiKeyEntry): string | undefined {
  const marks = [`id ${id}`, `${kind} ${hash}`];
  const [isId, isHash] = marks.map((mark) => known.has(mark));
  for (const mark of marks) known.add(mark);
  if (isId) return `the id \`${id}\` occurs twice`;
  return isHash ? `the key \`${id}\` occurs twice` : undefined;
}
