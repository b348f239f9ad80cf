import type { Test } from 'tap';
import { sha256 } from '../../src/base/secret.ts';
import type { AccessTokenRecord, NewSigningKey, Records } from '../../src/storage/records.ts';

export interface Implementation {
  /** An empty store; closed after the test. */
  readonly open: (t: Test) => Promise<Records>;
}

/** What every implementation of Records promises. */
export function recordsContract(t: Test, name: string, { open }: Implementation): void {
  for (const [title, rule] of rules) t.test(`${name}: ${title}`, async (t) => rule(t, await open(t)));
}

const now = 1_800_000_000;

function accessToken(text: string, changes: Partial<AccessTokenRecord> = {}): AccessTokenRecord {
  return {
    hash: sha256(text),
    clientId: 'shop',
    subject: 'shop',
    scope: 'orders.read',
    audience: ['https://api.example.com'],
    issuedAt: now,
    expiresAt: now + 60,
    ...changes,
  };
}

function signingKey(kid: string, alg = 'ES256'): NewSigningKey {
  return { kid, alg, publicJwk: { kty: 'EC', kid }, privateKey: sha256(`private ${kid}`), createdAt: now };
}

const rules: [title: string, rule: (t: Test, records: Records) => Promise<unknown>][] = [
  [
    'a saved token is found as it was saved',
    async (t, records) => {
      const token = accessToken('a', { audience: ['https://a.example', 'https://b.example'] });
      await records.saveAccessToken(token);
      const found = await records.findAccessToken(sha256('a'), now);
      t.strictSame({ ...found, hash: Buffer.from(found?.hash ?? []) }, { ...token, hash: Buffer.from(token.hash) });
    },
  ],
  [
    'an unknown hash finds nothing',
    async (t, records) => {
      t.equal(await records.findAccessToken(sha256('a'), now), undefined);
      t.equal(await records.findAccessToken(new Uint8Array(0), now), undefined);
    },
  ],
  [
    'a token is found until the second in which it expires',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      t.ok(await records.findAccessToken(sha256('a'), now + 59));
      t.equal(await records.findAccessToken(sha256('a'), now + 60), undefined);
    },
  ],
  [
    'a token cannot be saved twice, and that is a bug, not an outage',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      const error = await records.saveAccessToken(accessToken('a', { clientId: 'other' })).then(
        () => undefined,
        (failure) => failure,
      );
      t.ok(error instanceof Error && error.name !== 'StorageUnavailable');
      t.equal((await records.findAccessToken(sha256('a'), now))?.clientId, 'shop');
    },
  ],
  [
    'a verb that fails does not take those of the same turn with it',
    async (t, records) => {
      await records.saveAccessToken(accessToken('taken'));
      const asked = ['a', 'taken', 'b', 'taken', 'c'].map((text) => records.saveAccessToken(accessToken(text)));
      const outcomes = (await Promise.allSettled(asked)).map(({ status }) => status);
      t.strictSame(outcomes, ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
      for (const text of ['a', 'b', 'c']) t.ok(await records.findAccessToken(sha256(text), now), text);
    },
  ],
  [
    'revoking tells whose token it was',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      const revoke = (text: string, clientId: string) =>
        records.revokeAccessToken({ hash: sha256(text), clientId, now });
      t.equal(await revoke('unknown', 'shop'), 'unknown');
      t.equal(await revoke('a', 'other'), 'other_client');
      t.ok(await records.findAccessToken(sha256('a'), now), 'and leaves that of another client as it is');
      t.equal(await revoke('a', 'shop'), 'revoked');
      t.equal(await records.findAccessToken(sha256('a'), now), undefined);
      t.equal(await revoke('a', 'shop'), 'revoked', 'again');
      t.equal(await revoke('a', 'other'), 'other_client');
    },
  ],
  [
    'of many revocations of one token at once, all agree',
    async (t, records) => {
      await records.saveAccessToken(accessToken('a'));
      const asked = Array.from({ length: 50 }, (_, index) =>
        records.revokeAccessToken({ hash: sha256('a'), clientId: index % 2 === 0 ? 'shop' : 'other', now }),
      );
      const outcomes = await Promise.all(asked);
      t.ok(outcomes.every((outcome, index) => outcome === (index % 2 === 0 ? 'revoked' : 'other_client')));
    },
  ],
  [
    'a denied jti is denied until its time, and a later denial never shortens it',
    async (t, records) => {
      t.equal(await records.isJwtDenied('j', now), false);
      await records.denyJwt('j', now + 60);
      await records.denyJwt('j', now + 30);
      t.equal(await records.isJwtDenied('j', now + 59), true);
      t.equal(await records.isJwtDenied('j', now + 60), false);
      t.equal(await records.isJwtDenied('J', now), false);
    },
  ],
  [
    'of many candidates for the signing key one is adopted, and all callers get it',
    async (t, records) => {
      const adopted = await Promise.all(['k1', 'k2', 'k3'].map((kid) => records.adoptSigningKey(signingKey(kid))));
      const [first] = adopted;
      t.ok(adopted.every(({ kid }) => kid === first?.kid));
      t.equal((await records.listSigningKeys()).length, 1);
      t.strictSame(Buffer.from(first?.privateKey ?? []), sha256(`private ${first?.kid}`));
      t.equal(first?.status, 'current');
    },
  ],
  [
    'each algorithm has its own current key',
    async (t, records) => {
      await records.adoptSigningKey(signingKey('k1', 'ES256'));
      await records.adoptSigningKey(signingKey('k2', 'EdDSA'));
      const keys = await records.listSigningKeys();
      t.strictSame(
        keys.map(({ kid, alg, publicJwk }) => [kid, alg, publicJwk]),
        [
          ['k1', 'ES256', { kty: 'EC', kid: 'k1' }],
          ['k2', 'EdDSA', { kty: 'EC', kid: 'k2' }],
        ],
      );
    },
  ],
  [
    'the sweep removes what ended, a batch at a time, and nothing else',
    async (t, records) => {
      const ended = Array.from({ length: 7 }, (_, index) =>
        records.saveAccessToken(accessToken(`old ${index}`, { expiresAt: now })),
      );
      const denied = Array.from({ length: 4 }, (_, index) => records.denyJwt(`old ${index}`, now - index));
      await Promise.all([
        ...ended,
        ...denied,
        records.saveAccessToken(accessToken('a')),
        records.denyJwt('j', now + 1),
      ]);
      t.equal(await records.sweep(now, 5), 9, 'five of the tokens, four of the denials');
      t.equal(await records.sweep(now, 5), 2);
      t.equal(await records.sweep(now, 5), 0);
      t.ok(await records.findAccessToken(sha256('a'), now));
      t.equal(await records.isJwtDenied('j', now), true);
      t.equal(await records.findAccessToken(sha256('old 0'), 0), undefined, 'gone, not only ended');
    },
  ],
  [
    'a ping is answered',
    async (t, records) => {
      await records.ping(now);
      await records.ping(now + 1);
      t.pass();
    },
  ],
  [
    'after close every verb is an outage; close may come twice',
    async (t, records) => {
      const last = records.saveAccessToken(accessToken('last'));
      await records.close();
      await records.close();
      await last;
      const asked = [
        records.saveAccessToken(accessToken('a')),
        records.findAccessToken(sha256('a'), now),
        records.revokeAccessToken({ hash: sha256('a'), clientId: 'shop', now }),
        records.denyJwt('j', now),
        records.isJwtDenied('j', now),
        records.adoptSigningKey(signingKey('k')),
        records.listSigningKeys(),
        records.sweep(now, 1),
        records.ping(now),
      ];
      for (const outcome of await Promise.allSettled<unknown>(asked)) {
        t.equal(outcome.status === 'rejected' && outcome.reason.name, 'StorageUnavailable');
      }
    },
  ],
];
