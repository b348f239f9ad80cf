import type { Test } from 'tap';
import { sha256 } from '../../src/base/secret.ts';
import type { WritableEngine } from '../../src/storage/engine/engine.ts';
import { buildSeal } from '../../src/storage/engine/seal.ts';
import { run } from '../../src/storage/engine/verb.ts';
import type { TokenFacts } from '../../src/storage/lookup/read.ts';
import {
  type AccessTokenRecord,
  denyJwt,
  revokeAccessToken,
  saveAccessToken,
} from '../../src/storage/records/access-tokens.ts';
import { type GrantRecord, revokeGrant, saveGrant } from '../../src/storage/records/grants.ts';
import { signingKeys } from '../../src/storage/records/signing-keys.ts';

export interface Bench {
  readonly facts: TokenFacts;
  /** The authorization service's own writer, in a separate process from the reader's point of view. */
  readonly writer: WritableEngine;
}

export interface Implementation {
  /** An empty database and its reader; closed after the test. */
  readonly open: (t: Test) => Promise<Bench>;
  readonly skip?: false | string;
}

/** What every implementation of TokenFacts guarantees. */
export function tokenFactsContract(t: Test, name: string, { open, skip = false }: Implementation): void {
  for (const [title, rule] of rules) t.test(`${name}: ${title}`, { skip }, async (t) => rule(t, await open(t)));
}

const now = 1_800_000_000;

export function accessToken(text: string, changes: Partial<AccessTokenRecord> = {}): AccessTokenRecord {
  return {
    hash: sha256(text),
    clientId: 'shop',
    subject: 'u1',
    username: 'alice',
    scope: 'orders.read',
    audience: ['https://api.example.com', 'https://b.example.com'],
    claims: { tenant: 'acme' },
    grantId: undefined,
    authTime: undefined,
    issuedAt: now,
    expiresAt: now + 60,
    ...changes,
  };
}

const grant: GrantRecord = {
  id: 'g1',
  clientId: 'shop',
  subject: 'u1',
  username: 'alice',
  scope: 'orders.read',
  audience: [],
  authTime: now,
  createdAt: now,
  expiresAt: now + 3600,
  tokensUntil: now + 60,
};

const rules: [title: string, rule: (t: Test, bench: Bench) => Promise<unknown>][] = [
  [
    'a token is found unchanged as soon as it is saved',
    async (t, { facts, writer }) => {
      t.equal(await facts.findAccessToken(sha256('a'), now), undefined);
      const token = accessToken('a');
      await writer.write(() => saveAccessToken(token));
      const found = await facts.findAccessToken(sha256('a'), now);
      t.strictSame({ ...found, hash: Buffer.from(found?.hash ?? []) }, { ...token, hash: Buffer.from(token.hash) });
      t.equal(await facts.findAccessToken(sha256('b'), now), undefined);
      t.equal(await facts.findAccessToken(new Uint8Array(0), now), undefined);
    },
  ],
  [
    'a token is found until the second in which it expires',
    async (t, { facts, writer }) => {
      await writer.write(() => saveAccessToken(accessToken('a')));
      t.ok(await facts.findAccessToken(sha256('a'), now + 59));
      t.equal(await facts.findAccessToken(sha256('a'), now + 60), undefined);
    },
  ],
  [
    'a revoked token is not found, and its neighbour is',
    async (t, { facts, writer }) => {
      await writer.write(() => saveAccessToken(accessToken('a')));
      await writer.write(() => saveAccessToken(accessToken('b')));
      t.ok(await facts.findAccessToken(sha256('a'), now));
      await writer.write(() => revokeAccessToken({ hash: sha256('a'), clientId: 'shop', now }));
      t.equal(await facts.findAccessToken(sha256('a'), now), undefined);
      t.ok(await facts.findAccessToken(sha256('b'), now));
    },
  ],
  [
    'tokens and JWTs end with their grant',
    async (t, { facts, writer }) => {
      await writer.write(() => saveGrant(grant));
      await writer.write(() => saveAccessToken(accessToken('a', { grantId: 'g1' })));
      t.ok(await facts.findAccessToken(sha256('a'), now));
      t.equal(await facts.isJwtDenied({ jti: 'j', grantId: 'g1', now }), false);
      await writer.write(() => revokeGrant('g1', now));
      t.equal(await facts.findAccessToken(sha256('a'), now), undefined);
      t.equal(await facts.isJwtDenied({ jti: 'j', grantId: 'g1', now }), true);
      t.equal(await facts.isJwtDenied({ jti: 'j', now }), false);
    },
  ],
  [
    'a JWT ends with the key that signed it, as soon as that key is replaced',
    async (t, { facts, writer }) => {
      const { replaceSigningKeys } = signingKeys(buildSeal([new Uint8Array(32)]));
      const key = (kid: string) => ({
        kid,
        alg: 'ES256',
        publicJwk: {},
        privateKey: new Uint8Array(8),
        createdAt: now,
      });
      await writer.write(() => replaceSigningKeys(key('leaked')));
      t.equal(await facts.isJwtDenied({ jti: 'j', kid: 'leaked', now }), false);
      await writer.write(() => replaceSigningKeys(key('new')));
      t.equal(await facts.isJwtDenied({ jti: 'j', kid: 'leaked', now }), true);
      t.equal(await facts.isJwtDenied({ jti: 'j', kid: 'new', now }), false);
      t.equal(await facts.isJwtDenied({ jti: 'j', now }), false);
    },
  ],
  [
    'a denied JWT is denied, and no other is',
    async (t, { facts, writer }) => {
      t.equal(await facts.isJwtDenied({ jti: 'j', now }), false);
      await writer.write(() => denyJwt('j', now + 60, now));
      t.equal(await facts.isJwtDenied({ jti: 'j', now: now + 59 }), true);
      t.equal(await facts.isJwtDenied({ jti: 'J', now }), false);
      t.equal(await facts.isJwtDenied({ jti: '', now }), false);
    },
  ],
  [
    'a database of a later version is not read, until it is of this version again',
    async (t, { facts, writer }) => {
      await writer.write(() => saveAccessToken(accessToken('a')));
      await facts.ping();
      await writer.write(() => run("INSERT INTO migration VALUES (9999, 'later', '', 0)"));
      const unread = { name: 'StorageUnavailable', message: /version 9999, and this program knows only/ };
      await t.rejects(facts.findAccessToken(sha256('a'), now), unread);
      await t.rejects(facts.isJwtDenied({ jti: 'j', now }), unread);
      await t.rejects(facts.ping(), unread);
      await writer.write(() => run('DELETE FROM migration WHERE version = 9999'));
      t.ok(await facts.findAccessToken(sha256('a'), now));
    },
  ],
  [
    'simultaneous queries each get their own answer',
    async (t, { facts, writer }) => {
      const names = Array.from({ length: 100 }, (_, index) => `t${index}`);
      for (const name of names) await writer.write(() => saveAccessToken(accessToken(name, { subject: name })));
      const found = await Promise.all(names.map((name) => facts.findAccessToken(sha256(name), now)));
      t.strictSame(
        found.map((token) => token?.subject),
        names,
      );
    },
  ],
  [
    'after close every query is an outage',
    async (t, { facts }) => {
      await facts.ping();
      await facts.close();
      await facts.close();
      for (const asked of [facts.findAccessToken(sha256('a'), now), facts.isJwtDenied({ jti: 'j', now }), facts.ping()])
        await t.rejects<unknown>(asked, { name: 'StorageUnavailable' });
    },
  ],
];
