import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { buildPasswords } from '../../src/base/passwords.ts';
import { parseHtdigest } from '../../src/config/files/htdigest.ts';
import { parseHtpasswd } from '../../src/config/files/htpasswd.ts';
import type { StoredPassword } from '../../src/config/files/stored-password.ts';
import { basicScheme } from '../../src/gateway/schemes/basic/basic-scheme.ts';
import { basicUsersOfFile } from '../../src/gateway/schemes/basic/basic-users.ts';
import { digestScheme } from '../../src/gateway/schemes/digest/digest-scheme.ts';
import { digestUsers } from '../../src/gateway/schemes/digest/digest-users.ts';
import type { HttpScheme } from '../../src/gateway/schemes/http-scheme.ts';
import { openNonces, openUsedNonces } from '../../src/gateway/schemes/nonces.ts';
import { openPasswordJudge, type PasswordJudge } from '../../src/gateway/schemes/password-judge.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { headOf } from '../gateway/head.ts';
import { computed as computedBy } from '../support/computed.ts';
import { digestLines } from '../support/user-files.ts';

/**
 * CVE-2026-32595, CVE-2026-41263: the time of an answer revealed which user names exist. This test counts the work that
 * takes time: each computed hash with its algorithm and the bytes that it reads, and each password check with its
 * costs.
 */

const throttle = { attempt: () => ({ retryAfter: undefined, fail: () => undefined }) };

async function refuse(scheme: HttpScheme, value: string): Promise<void> {
  const verification = await scheme.verify({ value, head: headOf(['Host', 'a']), entity: undefined });
  if (verification.kind !== 'refused' || verification.code !== 'password_wrong') throw new Error(verification.kind);
}

/** A password check that records its costs. */
function noted(judge: PasswordJudge, costs: unknown[]): PasswordJudge {
  return {
    judge(stored, password, asker) {
      costs.push(costOf(stored));
      return judge.judge(stored, password, asker);
    },
    close: () => judge.close(),
  };
}

function costOf(stored: StoredPassword): unknown {
  return { kind: stored.kind, ...('cost' in stored ? { cost: stored.cost } : {}) };
}

t.test('advisory 28: with Basic an unknown user costs as much as a wrong password', async (t) => {
  const costs: unknown[] = [];
  const judge = noted(openPasswordJudge(), costs);
  t.teardown(() => judge.close());
  const written = await buildPasswords({ cost: { memory: 2048, passes: 2, lanes: 1 } }).hash('wonderland');
  const { users } = parseHtpasswd(`alice:${written.kind === 'hashed' ? written.phc : ''}\n`);
  const scheme = basicScheme({
    config: { users: '', scopes: {}, allow_insecure: true },
    realm: 'r',
    users: basicUsersOfFile(users),
    judge,
    throttle,
    share: 1,
    clock: systemClock,
  });
  const computed = computedBy(t);
  const spent = async (name: string) => {
    await refuse(scheme, formatBasic(name, 'looking-glass'));
    return { judged: costs.splice(0), computed: computed.splice(0) };
  };
  const known = await spent('alice');
  t.match(known.judged, [{ kind: 'argon2id', cost: { memory: 2048, passes: 2, lanes: 1 } }]);
  for (const name of ['nobod', 'elice', 'zzzzz']) t.strictSame(await spent(name), known, name);
});

t.test('advisory 28: with Digest an unknown user costs as much as a wrong password', async (t) => {
  const { users } = parseHtdigest(digestLines('alice', 'r', 'wonderland'));
  const config = {
    realm: 'r',
    users: '',
    algorithms: ['SHA-256' as const],
    qop: ['auth' as const],
    nonce_ttl: 300_000,
    nc: 'strict' as const,
    legacy_no_qop: false,
    userhash: true,
    bind_ip: false,
    uri_match: 'exact' as const,
    uri_from: [],
    auth_int: { max_body: 1024 },
    nextnonce: false,
    opaque: true,
    scopes: {},
  };
  const scheme = digestScheme({
    config,
    users: digestUsers(users, 'r'),
    nonces: openNonces(undefined, openUsedNonces(systemClock)),
    throttle,
    share: 1,
    countedAt: 'memory',
    useNonce: undefined,
  });
  const [challenge = ''] = scheme.challenges(headOf(['Host', 'a']), false);
  const [, nonce = ''] = /nonce="([^"]+)"/.exec(challenge) ?? [];
  const credentials = (username: string) =>
    formatDigest({
      username,
      userhash: false,
      realm: 'r',
      nonce,
      uri: '/',
      response: '0'.repeat(64),
      algorithm: 'SHA-256',
      cnonce: 'c',
      opaque: undefined,
      protection: { qop: 'auth', nc: '00000001' },
    });
  const computed = computedBy(t);
  const spent = async (name: string) => {
    await refuse(scheme, credentials(name));
    return computed.splice(0);
  };
  // The first use of a nonce verifies its MAC, for a known name and for an unknown one.
  await spent('first');
  const known = await spent('alice');
  t.ok(
    known.some((each) => each.startsWith('sha256 of ')),
    `${known}`,
  );
  for (const name of ['nobod', 'elice', 'zzzzz']) t.strictSame(await spent(name), known, name);
});
