import type { Test } from 'tap';
import { sha256 } from '../../../src/base/secret.ts';
import type {
  AccessTokenRecord,
  AccountRecord,
  ClientRecord,
  CodeClaim,
  CodeRecord,
  GrantRecord,
  NewRefreshToken,
  NewSigningKey,
  Records,
  RefreshRotation,
  SessionKeyRecord,
  SessionRecord,
} from '../../../src/storage/records/records.ts';

export type Rule = readonly [title: string, rule: (t: Test, records: Records) => Promise<unknown>];

export const now = 1_800_000_000;

/** Bytes are compared as bytes, whatever class a database returns. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, plain(content)]));
}

export function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function tally(outcomes: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
}

export function accessToken(text: string, changes: Partial<AccessTokenRecord> = {}): AccessTokenRecord {
  return {
    hash: sha256(text),
    clientId: 'shop',
    subject: 'shop',
    username: undefined,
    scope: 'orders.read',
    audience: ['https://api.example.com'],
    claims: {},
    grantId: undefined,
    authTime: undefined,
    issuedAt: now,
    expiresAt: now + 60,
    ...changes,
  };
}

export function signingKey(kid: string, changes: Partial<NewSigningKey> = {}): NewSigningKey {
  const privateKey = sha256(`private ${kid}`);
  return { kid, alg: 'ES256', publicJwk: { kty: 'EC', kid }, privateKey, createdAt: now, ...changes };
}

export function grant(id: string, changes: Partial<GrantRecord> = {}): GrantRecord {
  return {
    id,
    clientId: 'shop',
    subject: 's-alice',
    username: 'alice',
    scope: 'orders.read orders.write',
    audience: ['https://api.example.com'],
    authTime: now - 5,
    createdAt: now,
    expiresAt: now + 3600,
    tokensUntil: now + 60,
    ...changes,
  };
}

/** Its grant has its name. */
export function code(text: string, changes: Partial<CodeRecord> = {}): CodeRecord {
  return {
    hash: sha256(text),
    use: 'token',
    clientId: 'shop',
    subject: 's-alice',
    username: 'alice',
    scope: 'orders.read',
    audience: ['https://api.example.com'],
    redirectUri: 'https://shop.example/back',
    redirectUriSent: true,
    challenge: 'challenge',
    authTime: now - 5,
    grantId: text,
    issuedAt: now,
    expiresAt: now + 60,
    ...changes,
  };
}

export function claim(text: string, changes: Partial<CodeClaim> = {}): CodeClaim {
  return {
    hash: sha256(text),
    use: 'token',
    clientId: 'shop',
    redirectUri: 'https://shop.example/back',
    challenge: 'challenge',
    now,
    ...changes,
  };
}

export function saveCode(records: Records, text: string, changes: Partial<CodeRecord> = {}) {
  return records.saveCode({ code: code(text, changes), consent: undefined, transaction: undefined });
}

/** The grant of `minted`. */
export function refreshToken(text: string, grantId: string, changes: Partial<NewRefreshToken> = {}): NewRefreshToken {
  const expiresAt = now + 600;
  return { hash: sha256(text), grantId, scope: 'orders.read', audience: [], issuedAt: now, expiresAt, ...changes };
}

/** What the code `name` is exchanged for: the tokens `access name` and `refresh name`. */
export function minted(name: string, changes: Partial<GrantRecord> = {}) {
  return {
    grant: grant(name, changes),
    access: accessToken(`access ${name}`, { grantId: name }),
    refresh: refreshToken(`refresh ${name}`, name),
  };
}

export function rotation(
  from: string,
  to: string,
  grantId: string,
  changes: Partial<RefreshRotation> = {},
): RefreshRotation {
  return {
    hash: sha256(from),
    clientId: 'shop',
    now,
    successor: refreshToken(to, grantId),
    response: sha256(`response ${to}`),
    access: accessToken(`access of ${to}`, { grantId }),
    extended: undefined,
    tokensUntil: (changes.now ?? now) + 60,
    ...changes,
  };
}

export function session(text: string, changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    hash: sha256(text),
    id: `id ${text}`,
    subject: 's-alice',
    username: 'alice',
    authenticatedAt: now,
    expiresAt: now + 600,
    userAgent: 'Browser/1',
    address: '192.0.2.7',
    seenAt: now,
    ...changes,
  };
}

export function account(username: string, changes: Partial<AccountRecord> = {}): AccountRecord {
  return {
    subject: `s-${username}`,
    username,
    passwordHash: `$hash$${username}`,
    passwordVersion: 1,
    name: undefined,
    claims: {},
    createdAt: now,
    ...changes,
  };
}

export function client(id: string, changes: Partial<ClientRecord> = {}): ClientRecord {
  const secrets = [{ hash: sha256(`secret of ${id}`), createdAt: now, expiresAt: undefined }];
  return { id, metadata: { client_name: id }, secrets, createdAt: now, ...changes };
}

export function sessionKey(text: string, changes: Partial<SessionKeyRecord> = {}): SessionKeyRecord {
  return {
    clientId: 'shop',
    subject: 's-alice',
    username: 'alice',
    openid: 'o-alice',
    scope: 'orders.read',
    key: sha256(`key ${text}`),
    hash: sha256(text),
    issuedAt: now,
    expiresAt: now + 600,
    ...changes,
  };
}

export async function isAlive(records: Records, text: string, at = now): Promise<boolean> {
  return (await records.findAccessToken(sha256(text), at)) !== undefined;
}
