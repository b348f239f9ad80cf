import { randomBytes } from 'node:crypto';
import { makeOpaqueToken, tokenPrefixes } from '../src/authorization/tokens/opaque-token.ts';
import { sha256 } from '../src/base/secret.ts';
import type { CodeRecord, Records } from '../src/storage/records/records.ts';
import { challenge, clients, lifetimes, redirectUri, scope, subject } from './grants.ts';

/** More would wait too long for a connection to the database. */
const AT_ONCE = 128;

/** Creates a code as the consent page would. The promise resolves when the code is in the store. */
export async function makeCodes(records: Records, count: number, whose = () => subject): Promise<string[]> {
  const codes: string[] = [];
  while (codes.length < count) {
    const some = Math.min(AT_ONCE, count - codes.length);
    codes.push(...(await Promise.all(Array.from({ length: some }, () => makeCode(records, ownedBy(whose()))))));
  }
  return codes;
}

const ownedBy = (whose: string) => ({ subject: whose, username: whose });

/** `changes`: over a code of `web` for `subject`. */
export async function makeCode(records: Records, changes: Partial<CodeRecord>): Promise<string> {
  const text = makeOpaqueToken(tokenPrefixes.code);
  await records.saveCode({ code: { ...recordOf(text), ...changes }, consent: undefined, transaction: undefined });
  return text;
}

function recordOf(text: string): CodeRecord {
  const now = Math.floor(Date.now() / 1000);
  return {
    hash: sha256(text),
    use: 'token',
    clientId: clients.web.id,
    subject,
    username: subject,
    scope,
    audience: ['https://api.example.com'],
    redirectUri,
    redirectUriSent: true,
    challenge,
    authTime: now,
    grantId: randomBytes(16).toString('base64url'),
    issuedAt: now,
    expiresAt: now + lifetimes.code,
  };
}
