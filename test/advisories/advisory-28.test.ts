import t from 'tap';
import { systemClock } from '../../src/base/clock.ts';
import { buildPasswords } from '../../src/base/passwords.ts';
import { parseHtdigest } from '../../src/config/htdigest.ts';
import { parseHtpasswd } from '../../src/config/htpasswd.ts';
import { basicScheme } from '../../src/gateway/schemes/basic-scheme.ts';
import { basicUsersOfFile } from '../../src/gateway/schemes/basic-users.ts';
import { digestScheme } from '../../src/gateway/schemes/digest-scheme.ts';
import { digestUsers } from '../../src/gateway/schemes/digest-users.ts';
import type { HttpScheme } from '../../src/gateway/schemes/http-scheme.ts';
import { openNonces, openUsedNonces } from '../../src/gateway/schemes/nonces.ts';
import { openPasswordJudge } from '../../src/gateway/schemes/password-judge.ts';
import { formatBasic } from '../../src/http-auth/basic.ts';
import { formatDigest } from '../../src/http-auth/digest.ts';
import { headOf } from '../gateway/head.ts';
import { digestLines } from '../support/user-files.ts';

/** CVE-2026-32595, CVE-2026-41263: the time of an answer told which user names exist. */

const ROUNDS = 300;
const throttle = { attempt: () => ({ retryAfter: undefined, fail: () => undefined }) };

async function timeOf(scheme: HttpScheme, value: string): Promise<number> {
  const start = performance.now();
  const verification = await scheme.verify({ value, head: headOf(['Host', 'a']), entity: undefined });
  if (verification.kind !== 'refused' || verification.code !== 'password_wrong') throw new Error(verification.kind);
  return performance.now() - start;
}

/** Known and unknown in turn, so that whatever else the machine does meets both. */
async function medians(scheme: HttpScheme, credentials: (name: string, index: number) => string) {
  const times = { alice: [] as number[], nobody: [] as number[] };
  for (let index = 0; index < ROUNDS; index++) {
    const order = index % 2 === 0 ? (['alice', 'nobody'] as const) : (['nobody', 'alice'] as const);
    for (const name of order) times[name].push(await timeOf(scheme, credentials(name, index)));
  }
  const median = (all: number[]) => all.sort((one, other) => one - other)[ROUNDS / 2] ?? Number.NaN;
  return { known: median(times.alice), unknown: median(times.nobody) };
}

interface Found {
  readonly known: number;
  readonly unknown: number;
}

/** Another program can meet one of the two more than the other: what the code itself does differs every time. */
async function nearest(measure: () => ReturnType<typeof medians>, isClose: (found: Found) => boolean) {
  let best = await measure();
  for (let tries = 1; tries < 5 && !isClose(best); tries++) {
    const next = await measure();
    if (differ(next) < differ(best)) best = next;
  }
  return best;
}

const CLOSE = 0.05;

const differ = ({ known, unknown }: Found) => Math.abs(known - unknown) / known;

t.test('advisory 28: with Basic an unknown user takes as long as a wrong password', async (t) => {
  const judge = openPasswordJudge();
  t.teardown(() => judge.close());
  const hashed = await buildPasswords({ cost: { memory: 2048, passes: 2, lanes: 1 } }).hash('wonderland');
  const { users } = parseHtpasswd(`alice:${hashed.kind === 'hashed' ? hashed.phc : ''}\n`);
  const config = { users: '', scopes: {}, allow_insecure: true };
  const scheme = basicScheme({
    config,
    realm: 'r',
    users: basicUsersOfFile(users),
    judge,
    throttle,
    clock: systemClock,
  });
  const isClose = (found: Found) => differ(found) < CLOSE;
  const found = await nearest(() => medians(scheme, (name, index) => formatBasic(name, String(index))), isClose);
  t.ok(isClose(found), JSON.stringify(found));
});

t.test('advisory 28: with Digest an unknown user takes as long as a wrong password', async (t) => {
  const { users } = parseHtdigest(digestLines('alice', 'r', 'wonderland'));
  const nonces = openNonces(undefined, openUsedNonces(systemClock));
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
  const parts = { config, users: digestUsers(users, 'r'), nonces, throttle, countedAt: 'memory', useNonce: undefined };
  const scheme = digestScheme(parts);
  const [challenge = ''] = scheme.challenges(headOf(['Host', 'a']), false);
  const [, nonce = ''] = /nonce="([^"]+)"/.exec(challenge) ?? [];
  const isClose = (found: Found) => differ(found) < 0.1 || Math.abs(found.known - found.unknown) < 0.005;
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
  const found = await nearest(() => medians(scheme, credentials), isClose);
  t.ok(isClose(found), JSON.stringify(found));
});
